"""The lowerings of functions of strings and binaries."""

from __future__ import annotations

from collections.abc import Callable

from codegen_llvm import (
    characters,
    letter_case,
    string_making,
    string_parts,
    string_search,
    strings,
)
from codegen_llvm.builder import KernelContext
from codegen_llvm.values import Value
from ir import Call

# Their results need memory: as much as their arguments say, also where those are meant for
# another branch of a `case`.
MAKERS: dict[str, Callable[[KernelContext, Call, list[Value]], Value]] = {
    "concat": string_making.lower_concat,
    "concat_ws": string_making.lower_concat_ws,
    "repeat": string_making.lower_repeat,
    "lpad": string_making.lower_pad,
    "rpad": string_making.lower_pad,
    "reverse": string_making.lower_reverse,
    "replace": string_making.lower_replace,
    "translate": string_making.lower_translate,
    "lower": letter_case.lower_case,
    "upper": letter_case.lower_case,
}
TEXT_LOWERINGS: dict[str, Callable[[KernelContext, Call, list[Value]], Value]] = {
    **MAKERS,
    "length": characters.lower_length,
    "octet_length": characters.lower_octet_length,
    "bit_length": characters.lower_bit_length,
    "ascii": characters.lower_ascii,
    "substring": string_parts.lower_substring,
    "left": string_parts.lower_left,
    "right": string_parts.lower_right,
    "trim": string_parts.lower_trim,
    "ltrim": string_parts.lower_trim,
    "rtrim": string_parts.lower_trim,
    "substring_index": string_parts.lower_substring_index,
    "startswith": strings.lower_search,
    "endswith": strings.lower_search,
    "contains": strings.lower_search,
    "like": string_search.lower_like,
    "instr": string_search.lower_instr,
    "locate_from": string_search.lower_locate,
}
