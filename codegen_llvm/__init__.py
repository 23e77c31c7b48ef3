"""Code generation: row programs become LLVM modules, and those machine code."""

from codegen_llvm.combine import CompiledCombine, can_subtract, compile_combine
from codegen_llvm.csv_reader import CsvForm, compile_csv_reader
from codegen_llvm.decimal_sums import average_decimals
from codegen_llvm.filling import fill_pattern
from codegen_llvm.gather import find_used, gather_field, gather_strings
from codegen_llvm.holistic import list_functions
from codegen_llvm.json_reader import compile_json_reader
from codegen_llvm.json_shape import Shape, ShapeField
from codegen_llvm.keyed_move import CompiledMove, compile_move
from codegen_llvm.keyed_slots import keyed_layout, narrow_layout
from codegen_llvm.layout import (
    Encoding,
    InputLayout,
    SlotLayout,
    can_be_dense,
    slot_layout,
)
from codegen_llvm.plain_groups import read_plain
from codegen_llvm.support import unsupported, unsupported_in_engine, unsupported_projection
from codegen_llvm.text_records import CompiledReader
from codegen_llvm.text_times import TimeForm
from codegen_llvm.time_span import time_span
from codegen_llvm.variant import CompiledVariant, Program, compile_variant

__all__ = [
    "CompiledCombine",
    "CompiledMove",
    "CompiledReader",
    "CompiledVariant",
    "CsvForm",
    "Encoding",
    "InputLayout",
    "Program",
    "Shape",
    "ShapeField",
    "SlotLayout",
    "TimeForm",
    "average_decimals",
    "can_be_dense",
    "can_subtract",
    "compile_combine",
    "compile_csv_reader",
    "compile_json_reader",
    "compile_move",
    "compile_variant",
    "fill_pattern",
    "find_used",
    "gather_field",
    "gather_strings",
    "keyed_layout",
    "list_functions",
    "narrow_layout",
    "read_plain",
    "slot_layout",
    "time_span",
    "unsupported",
    "unsupported_in_engine",
    "unsupported_projection",
]
