"""A node of the code graph: one definition, and its exact place."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class NodeKind(StrEnum):
    """What a node defines."""

    PACKAGE = "PACKAGE"
    MODULE = "MODULE"
    CLASS = "CLASS"
    INTERFACE = "INTERFACE"
    ENUM = "ENUM"
    METHOD = "METHOD"
    FUNCTION = "FUNCTION"
    FIELD = "FIELD"
    ENDPOINT = "ENDPOINT"


class Node(NamedTuple):
    """One definition in the source of an application.

    A large project has tens of thousands, and a tuple is made and sent in a fraction of
    the time that a dataclass takes.

    Attributes:
        id: A hash of application, file, name and position among equals; the same
            source gives the same id.
        application_id: The application the graph was built for.
        kind: What is defined.
        lang: The language, in lower case: `python`, `c-sharp`.
        name: The last part of `fqn`.
        package_name: The package or module the definition belongs to; None or empty
            where it has none.
        fqn: The fully qualified name, as the language writes it.
        signature: The definition as written, without its body; None where it has
            none (a module).
        doc_comment: Its documentation without the marker syntax.
        source_code: The text of the definition, verbatim.
        file_path: POSIX path relative to the root of the graph; None for a package
            that no single file defines.
        line_start: First line, counted from 1.
        line_end: Last line, inclusive.
        start_offset: Where the text starts in the file, in code points.
        end_offset: Where it ends, exclusive.
        annotations: Decorators, annotations or attributes, as written.
        visibility: `public`, `protected`, `private`, `internal` or `package`.
        http_method: The verb of an ENDPOINT, in capitals; `ANY` where it takes all.
        http_path: The route of an ENDPOINT.
    """

    id: str
    application_id: str
    kind: NodeKind
    lang: str
    name: str
    package_name: str | None
    fqn: str
    signature: str | None
    doc_comment: str | None
    source_code: str | None
    file_path: str | None
    line_start: int | None
    line_end: int | None
    start_offset: int | None = None
    end_offset: int | None = None
    annotations: tuple[str, ...] = ()
    visibility: str = "public"
    http_method: str | None = None
    http_path: str | None = None


class NodeRef(NamedTuple):
    """A node as others refer to it."""

    id: str  # the node's id
    fqn: str  # its qualified name
    name: str  # its own name
    kind: str  # a `NodeKind`
    path: str | None  # its file; None where it has none
    line: int | None  # its first line

    @classmethod
    def to(cls, node: Node) -> NodeRef:
        """Return a reference to a node."""
        return cls(
            node.id,
            node.fqn,
            node.name,
            str(node.kind),
            node.file_path,
            node.line_start,
        )

    @property
    def names(self) -> set[str]:
        """Its own name, its qualified name, and that without parameter types."""
        return {self.name, self.fqn, self.fqn.partition("(")[0]}
