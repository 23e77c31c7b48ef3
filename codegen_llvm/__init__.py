"""Code generation: row programs become LLVM modules, and those machine code."""

from codegen_llvm.gather import gather_slots, gather_strings
from codegen_llvm.layout import Encoding, InputLayout, SlotLayout, slot_layout
from codegen_llvm.support import unsupported
from codegen_llvm.variant import CompiledVariant, compile_variant

__all__ = [
    "CompiledVariant",
    "Encoding",
    "InputLayout",
    "SlotLayout",
    "compile_variant",
    "gather_slots",
    "gather_strings",
    "slot_layout",
    "unsupported",
]
