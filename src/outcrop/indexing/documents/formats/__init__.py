"""Reading the text of a document, by its kind and the extension of its file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.indexing.documents.formats.asciidoc import read_asciidoc
from outcrop.indexing.documents.formats.converted import read_docx, read_pdf
from outcrop.indexing.documents.formats.document_text import DocumentText, Outline
from outcrop.indexing.documents.formats.html import read_html
from outcrop.indexing.documents.formats.notebook import read_notebook
from outcrop.indexing.documents.formats.org import read_org
from outcrop.indexing.documents.formats.rst import read_plain, read_rst
from outcrop.indexing.files.kinds import extension_of
from outcrop.markdown.embedded import find_embedded
from outcrop.markdown.front_matter import read_front_matter

if TYPE_CHECKING:
    from collections.abc import Callable

_CONVERTED: dict[str, Callable[[bytes], DocumentText]] = {
    "docx": read_docx,
    "html": lambda data: read_html(data.decode()),
    "notebook": read_notebook,
    "pdf": read_pdf,
}
# Their text is indexed as it is.
TEXT_FORMATS: dict[str, Callable[[str], Outline]] = {
    ".adoc": read_asciidoc,
    ".asciidoc": read_asciidoc,
    ".org": read_org,
    ".rst": read_rst,
    ".txt": read_plain,
}


def read_document(kind: str, path: str, data: bytes) -> DocumentText:
    """Return the text of a file to cut.

    Args:
        kind: The kind of the file.
        path: Its path, whose extension names the format of a text.
        data: Its content.

    Raises:
        MalformedError: The content is not of this kind.
        MissingExtraError: The extra that reads it is not installed.
    """
    if kind in _CONVERTED:
        return _CONVERTED[kind](data)
    text = data.decode()
    if kind == "markdown":
        is_mdx = extension_of(path) == ".mdx"
        return DocumentText(
            text=text,
            front_matter=read_front_matter(text),
            embedded=find_embedded(text, is_mdx=is_mdx),
        )
    read = TEXT_FORMATS.get(extension_of(path))
    outline = read(text) if read is not None else Outline()
    return DocumentText(text=text, outline=outline, front_matter=outline.front_matter)
