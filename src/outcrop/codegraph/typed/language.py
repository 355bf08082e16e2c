"""Languages whose calls are resolved by declared types."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from outcrop.codegraph.language import Language

if TYPE_CHECKING:
    from collections.abc import Sequence

    import tree_sitter

    from outcrop.codegraph.parsed import ParsedImport, ParsedSymbol
    from outcrop.codegraph.source import Source


class TypedLanguage(Language):
    """A language read by handlers, one for each type of syntax node."""

    level = "typed"
    code_module: ClassVar[str]
    """Module with `HANDLERS` (node type -> reader) and `BLOCKS` (nodes with a scope).

    Imported on the first read: most runs read few of the languages.
    """
    field_callers: ClassVar[bool] = False
    """Whether calls in a field's initial value outside any type belong to the field."""

    def read(
        self, root: tree_sitter.Node, source: Source, symbols: Sequence[ParsedSymbol],
        places: dict[int, int],
    ) -> tuple[list[ParsedImport], Any]:  # fmt: skip
        """Return imports, variables and calls."""
        from outcrop.codegraph.typed.reader import TypedReader

        code = import_module(self.code_module)
        reader = TypedReader(
            source.data, symbols, places, code.HANDLERS, code.BLOCKS,
            field_callers=self.field_callers,
        )  # fmt: skip
        reader.visit_all(root.named_children)
        return reader.imports, reader.finish()
