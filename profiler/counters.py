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
# What they are called here and in py-perf-event.
EVENTS: Mapping[str, str] = {
    "cycles": "CPU_CYCLES",
    "instructions": "INSTRUCTIONS",
    "branch_misses": "BRANCH_MISSES",
    "cache_misses": "CACHE_MISSES",
}
# These cannot be zero while code runs, unlike misses.
ALWAYS_COUNTED = ("cycles", "instructions")
NO_SUCH_EVENT = frozenset({errno.ENOENT, errno.EOPNOTSUPP, errno.ENODEV, errno.ENXIO})
FORBIDDEN = frozenset({errno.EACCES, errno.EPERM})

Opener = Callable[[], Mapping[str, int]]


class Rung(StrEnum):
    """A kind of signal, the better one first; a string, so that records can hold it."""

    HARDWARE = "hardware counters"
    SOFTWARE = "software events"  # that the kernel counts of a thread: faults and switches
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
    counts_threads: bool = True  # whether the kernel says what one thread used


class CountersBusy(Exception):
    """The counters ran for only a part of the time: others use them, too."""


class CountersStill(Exception):
    """The counters open, but do not count what cannot be zero: some hypervisors offer such."""


# What goes wrong where a machine has no counters, or loses them.
UNAVAILABLE = (ImportError, OSError, CountersBusy, CountersStill)


def this_host() -> Host:
    """The facts about this machine."""
    return Host(sys.platform, _paranoid(), _has_hypervisor_flag(), _counts_threads())


def counter_availability(
    open_counters: Opener | None = None, host: Host | None = None
) -> CounterAvailability:
    """Count the events of some work on this thread, and explain if that is not possible."""
    host = this_host() if host is None else host
    if host.platform != "linux":
        reason = f"hardware counters are read through Linux's perf events; this is {host.platform}"
        return _lower(host, reason, "run on Linux")
    try:
        check_counting((count_some_work if open_counters is None else open_counters)())
    except UNAVAILABLE as error:
        return why_unavailable(error, host)
    return CounterAvailability(Rung.HARDWARE, "cycles, instructions, branch and cache misses")


def count_some_work() -> Mapping[str, int]:
    """The events of a short loop on this thread."""
    import py_perf_event as perf

    events = [getattr(perf.Hardware, event) for event in EVENTS.values()]
    try:
        counts = perf.measure_until_full_read(events, sum, range(10_000))
    except perf.PartialRead as error:
        raise CountersBusy(str(error)) from error
    return dict(zip(EVENTS, map(int, counts), strict=True))


def check_counting(counts: Mapping[str, int]) -> None:
    """Raise if what cannot be zero while code runs is zero."""
    still = [name for name in ALWAYS_COUNTED if counts.get(name, 0) <= 0]
    if still:
        raise CountersStill(" and ".join(still))


def why_unavailable(error: Exception, host: Host) -> CounterAvailability:
    """The rung that is left without hardware counters, why, and what to do about it."""
    match error:
        case ImportError():
            reason = f"the package py-perf-event cannot be imported ({error})"
            return _lower(host, reason, "pip install py-perf-event")
        case CountersBusy():
            remedy = "stop other profilers; on Intel: sudo sysctl -w kernel.nmi_watchdog=0"
            return _lower(host, f"the hardware counters are in use elsewhere ({error})", remedy)
        case CountersStill():
            return _lower(host, f"the counters open, but count no {error}", _virtual_remedy(host))
        case OSError():
            return _refused(error, host)
    raise error


def _refused(error: OSError, host: Host) -> CounterAvailability:
    """The kernel's answer in words, with what to do about it."""
    number = error_number(error)
    if number in FORBIDDEN:
        return _forbidden(host)
    if number in NO_SUCH_EVENT:
        where = "this virtual machine" if host.is_virtual else "this CPU or its driver"
        return _lower(host, f"{where} offers no hardware counters", _virtual_remedy(host))
    if number == errno.ENOSYS:
        return _lower(host, "this kernel has no perf events", "use a kernel with them built in")
    return _lower(host, f"the kernel refused the counters ({error})", None)


def _forbidden(host: Host) -> CounterAvailability:
    """Not allowed: by the kernel's setting, or else by the rules of a container."""
    if host.paranoid is not None and host.paranoid > HIGHEST_PARANOID:
        return _lower(
            host,
            f"not permitted: kernel.perf_event_paranoid is {host.paranoid}",
            f"sudo sysctl -w kernel.perf_event_paranoid={HIGHEST_PARANOID}",
        )
    setting = "unknown" if host.paranoid is None else host.paranoid
    return _lower(
        host,
        f"not permitted, although kernel.perf_event_paranoid is {setting}:"
        " a container or a security module forbids it",
        "start the container with --cap-add PERFMON",
    )


def _virtual_remedy(host: Host) -> str | None:
    if host.is_virtual:
        return "give the virtual machine a PMU (KVM: -cpu host,pmu=on), or use bare metal"
    return None


def _lower(host: Host, reason: str, remedy: str | None) -> CounterAvailability:
    """The best rung below hardware counters."""
    rung = Rung.SOFTWARE if host.counts_threads else Rung.THREAD_TIME
    return CounterAvailability(rung, reason, remedy)


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


def _counts_threads() -> bool:
    """Linux and FreeBSD do; macOS and Windows have no such call."""
    try:
        import resource
    except ImportError:
        return False
    return hasattr(resource, "RUSAGE_THREAD")


def _has_hypervisor_flag() -> bool:
    """Whether the CPU says that it is a virtual one; x86 does."""
    try:
        lines = CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    flags = next((line for line in lines if line.startswith("flags")), "")
    return "hypervisor" in flags.split()
