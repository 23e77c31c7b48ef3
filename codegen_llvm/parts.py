"""A module taken apart into its functions, so that variants share the code of equal ones.

Most of a kernel's functions do not depend on a bet: an array for the groups leaves the filters
as they are, an order of filters all that comes behind them. Each is compiled from a text of its
own, and found in the object store where any variant had it before.
"""

from __future__ import annotations

import re
from collections import Counter

from llvmlite import ir as ll

# Lines of a helper that several functions call, from which on LLVM would not inline it.
_LARGE = 100
_REFERENCE = re.compile(r'@"((?:[^"\\]|\\.)*)"')
_METADATA = re.compile(r"!(\d+)")


def split_module(module: ll.Module) -> list[str]:
    """A text for each function that is called, and not inlined; small helpers come with each user.

    Metadata is numbered anew: its numbers in the module depend on the other functions.
    """
    return list(_Pieces(module).parts())


class _Pieces:
    """The definitions of a module as texts, and which of them are parts of their own."""

    def __init__(self, module: ll.Module) -> None:
        self._top = (
            f'; ModuleID = "{module.name}"\n'
            f'target triple = "{module.triple}"\ntarget datalayout = "{module.data_layout}"\n'
        )
        self._nodes = [str(node).partition(" = ")[2] for node in module.metadata]
        self._texts = {name: str(value) for name, value in module.globals.items()}
        self._uses = {name: self._names_in(text) for name, text in self._texts.items()}
        self._heads = {name for name, value in module.globals.items() if _is_head(value)}
        users = Counter(name for head in self._heads for name in self._with_helpers(head))
        self._heads |= {name for name, count in users.items() if count > 1 and self._is_large(name)}

    def parts(self) -> list[str]:
        """The text of each part, with the rest declared."""
        return [self._part(head) for head in self._texts if head in self._heads]

    def _names_in(self, text: str) -> list[str]:
        return [name for name in dict.fromkeys(_REFERENCE.findall(text)) if name in self._texts]

    def _is_large(self, name: str) -> bool:
        text = self._texts[name]
        return text.startswith("define ") and text.count("\n") > _LARGE

    def _with_helpers(self, head: str) -> list[str]:
        """A function and all that it refers to, but not what other parts refer to."""
        found: dict[str, None] = {head: None}
        waiting = [head]
        while waiting:
            for name in self._uses[waiting.pop()]:
                if name not in found:
                    found[name] = None
                    if name not in self._heads:
                        waiting.append(name)
        return list(found)

    def _part(self, head: str) -> str:
        """Constants come as they are, functions with the metadata that they use."""
        numbers: dict[str, int] = {}

        def renumber(match: re.Match[str]) -> str:
            return f"!{numbers.setdefault(match[1], len(numbers))}"

        texts = [self._top]
        for name in self._with_helpers(head):
            text = self._texts[name]
            if name == head:
                text = text.replace("define internal ", "define ", 1)
            elif name in self._heads:
                text = _declaration(text)
            if text.startswith("define "):
                text = _METADATA.sub(renumber, text)
            texts.append(text)
        # All of it is branch weights: no node refers to another one.
        texts += [f"!{new} = {self._nodes[int(old)]}" for old, new in numbers.items()]
        return "\n".join((*texts, ""))


def _is_head(value: ll.GlobalValue) -> bool:
    """Whether a global is a function with code of its own."""
    if not isinstance(value, ll.Function) or value.is_declaration:
        return False
    return value.linkage != "internal" or "noinline" in value.attributes


def _declaration(text: str) -> str:
    """The head of a function that another part defines."""
    head = text.partition("\n")[0]
    return head.replace("define internal ", "declare ", 1).replace("define ", "declare ", 1) + "\n"
