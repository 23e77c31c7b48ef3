"""Which signal about the machine this thread can read, found out by reading it once.

Virtual machines and containers often have no hardware counters. The loop then
works with what is left, and says so: a counter that cannot be read is reported
with its reason, never as a zero.
"""

from __future__ import annotations

import errno
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

PARANOID = Path("/proc/sys/kernel/perf_event_paranoid")
CPUINFO = Path("/proc/cpuinfo")

# The kernel lets a thread count its own user-mode events up to this value.
HIGHEST_PARANOID = 2
EVENTS = ("CPU_CYCLES", "INSTRUCTIONS", "BRANCH_MISSES", "CACHE_MISSES")
# These cannot be zero while Python code runs, unlike misses.
ALWAYS_COUNTED = ("CPU_CYCLES", "INSTRUCTIONS")
NO_SUCH_EVENT = frozenset({errno.ENOENT, errno.EOPNOTSUPP, errno.ENODEV, errno.ENXIO})
FORBIDDEN = frozenset({errno.EACCES, errno.EPERM})

Opener = Callable[[], Mapping[str, int]]


class Rung(StrEnum):
    """A kind of signal, the better one first; a string, so that records can hold it."""

    HARDWARE = "hardware counters"
    THREAD_TIME = "thread CPU time"


@dataclass(frozen=True, slots=True)
class CounterAvailability:
    """The best rung that works here, why it is not a better one, and what would change that."""

    rung: Rung
    reason: str
    remedy: str | None = None

    @property
    def has_hardware(self) -> bool:
        """Whether cycles and misses of this thread can be counted."""
        return self.rung is Rung.HARDWARE


@dataclass(frozen=True, slots=True)
class Host:
    """What the reasons depend on."""

    platform: str
    paranoid: int | None  # None where the setting cannot be read
    is_virtual: bool


class CountersBusy(Exception):
    """The counters ran for only a part of the time: others use them, too."""


def this_host() -> Host:
    """The facts about this machine."""
    return Host(sys.platform, _paranoid(), _has_hypervisor_flag())


def counter_availability(
    open_counters: Opener | None = None, host: Host | None = None
) -> CounterAvailability:
    """Count the events of some work on this thread, and explain if that is not possible."""
    host = this_host() if host is None else host
    if host.platform != "linux":
        reason = f"hardware counters are read through Linux's perf events; this is {host.platform}"
        return _thread_time(reason, "run on Linux")
    try:
        counts = (count_some_work if open_counters is None else open_counters)()
    except ImportError as error:
        reason = f"the package py-perf-event cannot be imported ({error})"
        return _thread_time(reason, "pip install py-perf-event")
    except CountersBusy as error:
        remedy = "stop other profilers; on Intel: sudo sysctl -w kernel.nmi_watchdog=0"
        return _thread_time(f"the hardware counters are in use elsewhere ({error})", remedy)
    except OSError as error:
        return _refused(error, host)
    return _judge(counts, host)


def count_some_work() -> Mapping[str, int]:
    """The events of a short loop on this thread."""
    import py_perf_event as perf

    events = [getattr(perf.Hardware, name) for name in EVENTS]
    try:
        counts = perf.measure_until_full_read(events, sum, range(10_000))
    except perf.PartialRead as error:
        raise CountersBusy(str(error)) from error
    return dict(zip(EVENTS, map(int, counts), strict=True))


def _judge(counts: Mapping[str, int], host: Host) -> CounterAvailability:
    """Counters that stand still are as good as none: some hypervisors offer such."""
    still = [name for name in ALWAYS_COUNTED if counts.get(name, 0) <= 0]
    if still:
        names = " and ".join(name.lower().replace("_", " ") for name in still)
        return _thread_time(f"the counters open, but count no {names}", _virtual_remedy(host))
    return CounterAvailability(Rung.HARDWARE, "cycles, instructions, branch and cache misses")


def _refused(error: OSError, host: Host) -> CounterAvailability:
    """The kernel's answer in words, with what to do about it."""
    number = error_number(error)
    if number in FORBIDDEN:
        return _forbidden(host)
    if number in NO_SUCH_EVENT:
        where = "this virtual machine" if host.is_virtual else "this CPU or its driver"
        return _thread_time(f"{where} offers no hardware counters", _virtual_remedy(host))
    if number == errno.ENOSYS:
        return _thread_time("this kernel has no perf events", "use a kernel with them built in")
    return _thread_time(f"the kernel refused to open the counters ({error})", None)


def _forbidden(host: Host) -> CounterAvailability:
    """Not allowed: by the kernel's setting, or else by the rules of a container."""
    if host.paranoid is not None and host.paranoid > HIGHEST_PARANOID:
        return _thread_time(
            f"not permitted: kernel.perf_event_paranoid is {host.paranoid}",
            f"sudo sysctl -w kernel.perf_event_paranoid={HIGHEST_PARANOID}",
        )
    setting = "unknown" if host.paranoid is None else host.paranoid
    return _thread_time(
        f"not permitted, although kernel.perf_event_paranoid is {setting}:"
        " a container or a security module forbids it",
        "start the container with --cap-add PERFMON",
    )


def _virtual_remedy(host: Host) -> str | None:
    if host.is_virtual:
        return "give the virtual machine a PMU (KVM: -cpu host,pmu=on), or use bare metal"
    return None


def _thread_time(reason: str, remedy: str | None) -> CounterAvailability:
    return CounterAvailability(Rung.THREAD_TIME, reason, remedy)


def error_number(error: OSError) -> int | None:
    """The number of a system error; py-perf-event has it only in the text of the message."""
    if error.errno is not None:
        return error.errno
    found = re.search(r"\(os error (\d+)\)", str(error))
    return int(found.group(1)) if found else None


def _paranoid() -> int | None:
    try:
        return int(PARANOID.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _has_hypervisor_flag() -> bool:
    """Whether the CPU says that it is a virtual one; x86 does."""
    try:
        lines = CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    flags = next((line for line in lines if line.startswith("flags")), "")
    return "hypervisor" in flags.split()
