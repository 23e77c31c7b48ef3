"""The hand-written C programs of `ysb.c`: compiled on demand, called on Arrow buffers."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shutil
import subprocess
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

SOURCE = Path(__file__).with_name("ysb.c")
FLAGS = ("-O3", "-march=native", "-fwrapv", "-fPIC", "-shared", "-Wall", "-Wextra")
RESULT_SCHEMA = pa.schema(
    [
        ("window_start", pa.timestamp("us", tz="UTC")),
        ("campaign_id", pa.int64()),
        ("revenue", pa.int64()),
    ]
)
KEYS_TOO_WIDE = 1


class CompilerError(RuntimeError):
    """The C programs cannot be compiled here; the message says what to do."""


@dataclass(frozen=True, slots=True)
class CProgram:
    """One program of `ysb.c`."""

    name: str
    description: str
    hashes: bool
    needs_avx512: bool = False

    def symbol(self, event_type: pa.DataType) -> str:
        """The C function for this encoding of event_type."""
        encoding = "codes" if pa.types.is_dictionary(event_type) else "strings"
        return f"{self.name.replace('-', '_')}_{encoding}"


PROGRAMS = (
    CProgram("hash-row", "one hash table keyed by (window, key), branch per row", True),
    CProgram("window-hash-row", "a hash table per window, branch per row", True),
    CProgram("window-hash-select", "a hash table per window, selection vector", True),
    CProgram(
        "window-hash-simd",
        "a hash table per window, AVX-512 selection",
        True,
        needs_avx512=True,
    ),
    CProgram("dense-row", "a dense array per window, branch per row", False),
    CProgram("dense-select", "a dense array per window, selection vector", False),
    CProgram("dense-simd", "a dense array per window, AVX-512 selection", False, needs_avx512=True),
)


class _Columns(ctypes.Structure):
    """`Columns` of ysb.c."""

    _fields_ = (
        ("codes", ctypes.c_void_p),
        ("offsets", ctypes.c_void_p),
        ("bytes", ctypes.c_void_p),
        ("time_us", ctypes.c_void_p),
        ("keys", ctypes.c_void_p),
        ("values", ctypes.c_void_p),
        ("rows", ctypes.c_int64),
        ("view_code", ctypes.c_int32),
    )


class _Groups(ctypes.Structure):
    """`Groups` of ysb.c."""

    _fields_ = (
        ("window_us", ctypes.POINTER(ctypes.c_int64)),
        ("keys", ctypes.POINTER(ctypes.c_int64)),
        ("sums", ctypes.POINTER(ctypes.c_int64)),
        ("count", ctypes.c_int64),
        ("room", ctypes.c_int64),
        ("status", ctypes.c_int32),
    )


def available_programs() -> tuple[CProgram, ...]:
    """The programs that were compiled for this CPU."""
    has_avx512 = hasattr(_library(), "window_hash_simd_codes")
    return tuple(p for p in PROGRAMS if has_avx512 or not p.needs_avx512)


def run(program: CProgram, batch: pa.RecordBatch) -> tuple[pa.Table, int]:
    """The query's result, in no particular order, and the nanoseconds that the C call took."""
    columns = _columns(batch)
    library = _library()
    function = getattr(library, program.symbol(batch.schema.field("event_type").type))
    groups = _Groups()
    try:
        started_ns = time.perf_counter_ns()
        function(ctypes.byref(columns), ctypes.byref(groups))
        elapsed_ns = time.perf_counter_ns() - started_ns
        if groups.status == KEYS_TOO_WIDE:
            raise ValueError(f"{program.name}: keys span more than 64 M values; use a hash program")
        return _table(groups), elapsed_ns
    finally:
        library.groups_free(ctypes.byref(groups))


def compile_library(directory: Path | None = None) -> Path:
    """Compile ysb.c for this CPU, unless an earlier run did so with the same source and flags."""
    compiler = find_compiler()
    directory = directory or default_cache_directory()
    path = directory / f"ysb-{_fingerprint(compiler)}.so"
    if not path.exists():
        directory.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        _compile(compiler, temporary)
        os.replace(temporary, path)
    return path


def find_compiler() -> str:
    """The C compiler: $CC, else gcc, else cc."""
    wanted = os.environ.get("CC")
    found = shutil.which(wanted) if wanted else shutil.which("gcc") or shutil.which("cc")
    if found is None:
        looked_for = f"CC={wanted}" if wanted else "gcc or cc"
        raise CompilerError(
            f"no C compiler ({looked_for}) on PATH. Install one: `sudo apt-get install gcc` "
            "(Debian, Ubuntu), `sudo dnf install gcc` (Fedora), `xcode-select --install` (macOS); "
            "or set CC to its path."
        )
    return found


def default_cache_directory() -> Path:
    """Where compiled baselines are kept between runs."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "kodiak" / "baselines"


def cpu_description() -> str:
    """The CPU's model and features: code for -march=native is for one of these only."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    wanted = ("model name", "flags", "Features", "CPU part")
    return "\n".join(sorted({line for line in lines if line.startswith(wanted)}))


@cache
def _library() -> ctypes.CDLL:
    """The loaded library; compiled at the first use."""
    library = ctypes.CDLL(str(compile_library()))
    library.groups_free.restype = None
    return library


def _compile(compiler: str, output: Path) -> None:
    command = [compiler, *FLAGS, str(SOURCE), "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        output.unlink(missing_ok=True)
        raise CompilerError(f"`{' '.join(command)}` failed:\n{done.stderr.strip()}")


def _fingerprint(compiler: str) -> str:
    """A key of everything that decides the machine code."""
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)
    parts = (SOURCE.read_text(encoding="utf-8"), *FLAGS, version.stdout, cpu_description())
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _columns(batch: pa.RecordBatch) -> _Columns:
    """Pointers into the batch's buffers; valid while the batch is."""
    types = _checked(batch, "event_type")
    columns = _Columns(
        time_us=_address(_checked(batch, "event_time", pa.timestamp("us", tz="UTC"))),
        keys=_address(_checked(batch, "campaign_id", pa.int64())),
        values=_address(_checked(batch, "value", pa.int64())),
        rows=batch.num_rows,
    )
    if types.type == pa.dictionary(pa.int32(), pa.string()):
        columns.codes = _address(types.indices)
        # index() gives -1 where no event can be a view, and no code equals that.
        columns.view_code = types.dictionary.index("view").as_py()
    elif types.type == pa.string():
        columns.offsets = _address(types)
        columns.bytes = types.buffers()[2].address if types.buffers()[2] else None
    else:
        raise TypeError(f"event_type must be string or dictionary<int32, string>, got {types.type}")
    return columns


def _checked(batch: pa.RecordBatch, name: str, type_: pa.DataType | None = None) -> Any:
    """A column without nulls, of the expected type; the C programs read raw values."""
    column = batch.column(name)
    if type_ is not None and column.type != type_:
        raise TypeError(f"{name} must be {type_}, got {column.type}")
    if column.null_count:
        raise ValueError(f"the C programs take no nulls; {name} has {column.null_count}")
    return column


def _address(array: Any) -> int:
    """Where the array's first value (or first string offset) is in memory."""
    width = 4 if pa.types.is_string(array.type) else array.type.bit_width // 8
    return int(array.buffers()[1].address + array.offset * width)


def _table(groups: _Groups) -> pa.Table:
    """A copy of the C arrays as a table."""
    pointers = (groups.window_us, groups.keys, groups.sums)
    if not groups.count:
        return RESULT_SCHEMA.empty_table()
    arrays = [np.ctypeslib.as_array(p, (groups.count,)).copy() for p in pointers]
    columns = [pa.array(a).cast(f.type) for a, f in zip(arrays, RESULT_SCHEMA, strict=True)]
    return pa.table(columns, schema=RESULT_SCHEMA)
