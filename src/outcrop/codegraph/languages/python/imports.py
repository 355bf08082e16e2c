"""Python imports: the modules and members that they bind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.flow.file_flow import ImportedMember, ImportedModule
from outcrop.codegraph.parsed import ParsedImport

if TYPE_CHECKING:
    from tree_sitter import Node

    from outcrop.codegraph.languages.python.reader import Reader


def read_import(reader: Reader, node: Node) -> None:
    """Read `import a.b` and `import a.b as c`."""
    for child in node.children_by_field_name("name"):
        if child.type == "aliased_import":
            path = child.child_by_field_name("name")
            alias = child.child_by_field_name("alias")
            if path is None or alias is None:
                continue
            dotted, name = reader.text(path), reader.text(alias)
            reader.assign(name, reader.origin(ImportedModule(dotted, 0)))
            reader.imports.append(ParsedImport(name, dotted, ""))
        else:
            dotted = reader.text(child)
            first = dotted.partition(".")[0]
            old = reader.scope.env.get(first)
            if not (isinstance(old, int) and "." in dotted):
                reader.assign(first, reader.origin(ImportedModule(first, 0)))
            reader.imports.append(ParsedImport(first, dotted, ""))


def read_from(reader: Reader, node: Node) -> None:
    """Read `from a.b import c`, `from . import d` and `from e import *`."""
    module = node.child_by_field_name("module_name")
    if module is None:
        return
    written = reader.text(module).replace(" ", "")
    path = written.lstrip(".")
    level = len(written) - len(path)
    for child in node.children_by_field_name("name"):
        name_node = alias_node = child
        if child.type == "aliased_import":
            name_node = child.child_by_field_name("name") or child
            alias_node = child.child_by_field_name("alias") or name_node
        name, alias = reader.text(name_node), reader.text(alias_node)
        reader.assign(alias, reader.origin(ImportedMember(path, level, name)))
        reader.imports.append(ParsedImport(alias, written, name))
    if any(child.type == "wildcard_import" for child in node.named_children):
        reader.stars.append((path, level))
        reader.imports.append(ParsedImport("*", written, ""))
