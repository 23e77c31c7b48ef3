"""Where processes leave compiled code, records of what they run, and bans for each other."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Mapping
from pathlib import Path

from adaptive.runtime.bans import BAN_LIST
from adaptive.runtime.code_store import DEFAULT_BYTES, CodeStore, CodeStores
from adaptive.runtime.journal import JOURNAL
from codegen_llvm.object_cache import ObjectStore, use_object_store

FOLDER_VARIABLE = "KODIAK_CACHE_DIR"
SIZE_VARIABLE = "KODIAK_CACHE_MB"

logger = logging.getLogger(__name__)


class _Opened:
    """Whether this process has chosen its folder yet."""

    lock = threading.Lock()
    done = False


def open_stores(
    folder: Path | str | None, most_bytes: int = DEFAULT_BYTES, behind: Path | None = None
) -> None:
    """Keep compiled code, records and bans below a folder from now on; None: nowhere.

    Code is also looked for, and kept, in the folder `behind`.
    """
    base = None if folder is None else Path(folder)
    store: ObjectStore | None = None
    if base is not None:
        store = near = CodeStore(base / "objects", most_bytes)
        if behind is not None:
            store = CodeStores(near, CodeStore(behind / "objects", most_bytes))
    use_object_store(store)
    runs = None if base is None else base / "runs"
    BAN_LIST.open(runs)
    JOURNAL.open(runs)
    _Opened.done = True


def close_stores() -> None:
    """Let go of the folder; the next use opens what the environment says."""
    open_stores(None)
    _Opened.done = False


def open_shared_stores(folder: Path) -> None:
    """Share all with the processes that use this folder, unless the environment names another.

    Compiled code is kept in the user's cache as well, for processes that come later.
    """
    if _Opened.done:
        return
    with _Opened.lock:
        if not _Opened.done and not os.environ.get(FOLDER_VARIABLE):
            open_stores(folder, size_setting(os.environ), folder_setting(os.environ))


def ensure_stores() -> None:
    """Open what the environment says, unless the process has chosen a folder already."""
    if not _Opened.done:
        with _Opened.lock:
            if not _Opened.done:
                open_stores(folder_setting(os.environ), size_setting(os.environ))


def folder_setting(environment: Mapping[str, str]) -> Path | None:
    """The folder that the environment names, or the user's cache; None where it says `off`."""
    text = environment.get(FOLDER_VARIABLE, "")
    if is_off(environment):
        return None
    if not text:
        return _user_cache(environment)
    folder = Path(text)
    if not folder.is_absolute():
        raise ValueError(
            f"{FOLDER_VARIABLE} is {text!r}, which depends on the working directory;"
            " give a path that starts with '/', or 'off'"
        )
    return folder


def is_off(environment: Mapping[str, str]) -> bool:
    """Whether nothing is to be kept on disk."""
    return environment.get(FOLDER_VARIABLE, "").lower() == "off"


def size_setting(environment: Mapping[str, str]) -> int:
    """How many bytes of compiled code are kept."""
    text = environment.get(SIZE_VARIABLE, "")
    if not text:
        return DEFAULT_BYTES
    valid = text.isascii() and text.isdigit() and len(text) <= 7
    if not (valid and 1 <= int(text) <= 2**20):
        raise ValueError(
            f"{SIZE_VARIABLE} is {text!r}; give a whole number of mebibytes from 1 to {2**20},"
            f" or {FOLDER_VARIABLE}=off for no cache"
        )
    return int(text) * 1024 * 1024


def _user_cache(environment: Mapping[str, str]) -> Path | None:
    named = Path(environment.get("XDG_CACHE_HOME", ""))
    if named.is_absolute():
        return named / "kodiak"
    home = Path(os.path.expanduser("~"))
    if home.is_absolute():
        return home / ".cache" / "kodiak"
    logger.warning("no cache of compiled code: there is no home; set %s", FOLDER_VARIABLE)
    return None


def _renew_lock() -> None:
    _Opened.lock = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)
