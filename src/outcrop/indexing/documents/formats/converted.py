"""PDF and DOCX, read by libraries of the extra `convert`.

The place of a line of a PDF is its page; a DOCX has neither pages nor lines, so its
places are paragraphs.
"""

from __future__ import annotations

import logging
import re
import zipfile
from importlib.util import find_spec
from io import BytesIO

from outcrop.errors import INTERRUPTS, MissingExtraError
from outcrop.indexing.documents.formats.document_text import (
    DocumentText,
    MalformedError,
    Outline,
)
from outcrop.indexing.documents.formats.html import read_html
from outcrop.markdown.document import path_title
from outcrop.markdown.front_matter import FrontMatter
from outcrop.text.tokens import replace_surrogates

EXTRA = "convert"
MAX_UNPACKED_BYTES = 200_000_000
_BLOCK_END = re.compile(r"</(?:p|h[1-6]|li|tr)>")
# Written by programs that know nothing of the document.
_JUNK_TITLES = ("microsoft word", "untitled", "powerpoint")
_JUNK_ENDINGS = (".doc", ".docx", ".indd", ".tex", ".dvi", ".pdf")


def read_pdf(data: bytes) -> DocumentText:
    """Return the text of a PDF; scanned pages have none.

    Raises:
        MalformedError: It cannot be read, or needs a password.
        MissingExtraError: The extra is not installed.
    """
    if find_spec("pypdf") is None:
        raise MissingExtraError("reading PDF", EXTRA)
    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # repairs are not news
    try:
        reader = PdfReader(BytesIO(data))
        pages = [_clean(page.extract_text()) for page in reader.pages]
        about = reader.metadata
        title = _clean((about and about.title) or "")
    except INTERRUPTS:
        raise
    except Exception as error:
        raise MalformedError(f"not a readable PDF: {error}") from error
    lines: list[str] = []
    places: list[int] = []
    for number, page in enumerate(pages, 1):
        own = [*page.split("\n"), ""]
        lines += own
        places += [number] * len(own)
    front_matter = FrontMatter(title="" if _is_junk(title) else path_title(title))
    return DocumentText(
        text="\n".join(lines),
        outline=Outline(front_matter=front_matter),
        front_matter=front_matter,
        places=places or [1],
    )


def read_docx(data: bytes) -> DocumentText:
    """Return the text of a DOCX as Markdown, without its images.

    Raises:
        MalformedError: It cannot be read.
        MissingExtraError: The extra is not installed.
    """
    if find_spec("mammoth") is None:
        raise MissingExtraError("reading DOCX", EXTRA)
    import mammoth

    no_image = mammoth.images.img_element(lambda _: {})
    try:
        _check_size(data)
        html = mammoth.convert_to_html(BytesIO(data), convert_image=no_image).value
    except (*INTERRUPTS, MalformedError):
        raise
    except Exception as error:
        raise MalformedError(f"not a readable DOCX: {error}") from error
    # One paragraph per line, so that the lines of the page count paragraphs.
    return read_html(_BLOCK_END.sub(r"\g<0>\n", _clean(html).replace("\n", " ")))


def _check_size(data: bytes) -> None:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > MAX_UNPACKED_BYTES:
        raise MalformedError(f"not a readable DOCX: {size:,} bytes when unpacked")


def _clean(text: str) -> str:
    plain = replace_surrogates(text.replace("\0", "\ufffd"))
    return plain.replace("\r\n", "\n").replace("\r", "\n")


def _is_junk(title: str) -> bool:
    lower = title.strip().lower()
    return lower.startswith(_JUNK_TITLES) or lower.endswith(_JUNK_ENDINGS)
