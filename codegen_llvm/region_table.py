"""The zones of all regions as memory of this process, which generated code finds by a symbol.

Code is kept on disk for other processes, so it has no address: only the name of the table, which
is another for other rules. A table is made once, when a plan first casts text to a timestamp.
"""

from __future__ import annotations

import ctypes
import struct
from array import array
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256

from codegen_llvm.compile import keep_symbol
from codegen_llvm.local_times import changes_of, end_of
from ir.calendar import SECOND_US
from ir.parsing_times import RulesMissing, written_zone
from ir.regions import Regions
from ir.zones import CYCLE_US, Zone

SLOT_BYTES = 24  # of a region: the places of its name and of its zone, and the size of the name
MASK, SLOTS = 0, 8  # where the table has the number of slots less one, and the first slot
NAME, NAME_SIZE, ZONE = 0, 8, 16  # in a slot; a place of 0 is that of no name
COUNT, END, STARTS = 0, 8, 16  # in a zone: its changes, where they come again, and the first one
CYCLE_S = CYCLE_US // SECOND_US
HASH_START, HASH_FACTOR = 0xCBF29CE484222325, 0x100000001B3  # FNV-1a
_NEVER = (1 << 63) - 1
_WORD = (1 << 64) - 1


@lru_cache(8)
def region_table(regions: Regions) -> str:
    """The symbol of the table of some regions; 50 to 100 ms for all of the world."""
    zones: dict[str, Zone] = {}
    for name in (*regions.zones, *regions.short_names):
        with suppress(RulesMissing):
            zone = written_zone(name, regions)
            if zone is not None:
                zones[name] = zone
    data = _packed(zones)
    symbol = f"kodiak.regions.{sha256(data).hexdigest()[:16]}"
    keep_symbol(symbol, ctypes.create_string_buffer(data, len(data)))
    return symbol


def name_hash(name: bytes) -> int:
    """What decides where a name is looked for first."""
    made = HASH_START
    for byte in name:
        made = ((made ^ byte) * HASH_FACTOR) & _WORD
    return made ^ made >> 32


def _packed(zones: Mapping[str, Zone]) -> bytes:
    """Slots, of which half are empty or more, then zones and names."""
    mask = (1 << (2 * len(zones)).bit_length()) - 1
    body = bytearray()
    start = SLOTS + SLOT_BYTES * (mask + 1)
    slots = bytearray(start - SLOTS)
    places: dict[int, int] = {}
    for zone in zones.values():
        if id(zone) not in places:
            places[id(zone)] = start + len(body)
            body += _zone_words(zone)
    for name, zone in zones.items():
        data = name.encode()
        slot = name_hash(data) & mask
        while slots[SLOT_BYTES * slot : SLOT_BYTES * slot + 8] != bytes(8):
            slot = (slot + 1) & mask
        words = (start + len(body), len(data), places[id(zone)])
        struct.pack_into("<3q", slots, SLOT_BYTES * slot, *words)
        body += data
    return struct.pack("<q", mask) + bytes(slots) + bytes(body)


def _zone_words(zone: Zone) -> bytes:
    """Seconds: where changes begin in local time, and the offset before the first and behind each.

    A local time that comes twice, or never, is of the span before the change.
    """
    changes = changes_of(zone)
    offsets = [zone.offsets_s[0], *(offset for _, offset in changes)]
    before = [when for when, _ in changes]
    walls = [when + max(pair) for when, *pair in zip(before, offsets, offsets[1:], strict=False)]
    end = end_of(zone)
    words = array("q", (len(walls), _NEVER if end is None else end, *walls, *offsets))
    return words.tobytes()
