"""PDF and DOCX are read where the extra is installed, and named where it is not."""

from __future__ import annotations

import zipfile
from importlib.util import find_spec
from io import BytesIO

import pytest

from outcrop.indexing.config import IndexConfig
from outcrop.indexing.documents.prepare import Task, prepare_bytes
from outcrop.indexing.files.discover import discover
from outcrop.indexing.files.kinds import BINARY_KINDS, kind_of

HAS_EXTRA = all(find_spec(module) is not None for module in BINARY_KINDS.values())
needs_extra = pytest.mark.skipif(not HAS_EXTRA, reason="extra convert")
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def prepare(data: bytes, kind: str):
    task = Task(path=f"a.{kind}", file="a", kind=kind, modified_ns=1)
    return prepare_bytes(task, data, IndexConfig(max_tokens=60))


def pdf(*pages: str, title: str = "") -> bytes:
    """A PDF with a line of text on each page."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        content = f"BT /F1 12 Tf 50 700 Td ({text}) Tj ET"
        objects += [
            (
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] "
                f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * number} 0 R >>"
            ),
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        ]
    objects.append(f"<< /Title ({title}) >>")
    body, places = "%PDF-1.4\n", []
    for number, source in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{source}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    count = len(objects) + 1
    return (
        f"{body}xref\n0 {count}\n0000000000 65535 f \n{table}"
        f"trailer << /Size {count} /Root 1 0 R /Info {count - 1} 0 R >>\n"
        f"startxref\n{len(body)}\n%%EOF\n"
    ).encode()


def paragraph(style: str, text: str) -> str:
    return (
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr>'
        f"<w:r><w:t>{text}</w:t></w:r></w:p>"
    )


def docx(*paragraphs: tuple[str, str], table: str = "") -> bytes:
    """A DOCX of paragraphs with their styles, and a table of rows and cells at its end."""
    body = "".join(paragraph(style, text) for style, text in paragraphs)
    rows = "".join(
        "<w:tr>"
        + "".join(f"<w:tc>{paragraph('', cell)}</w:tc>" for cell in row.split(","))
        + "</w:tr>"
        for row in table.split()
    )
    body += f"<w:tbl>{rows}</w:tbl>" if table else ""
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{n}">'
        f'<w:name w:val="heading {n}"/></w:style>'
        for n in (1, 2)
    )
    files = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        f'<Override PartName="/word/document.xml" ContentType="{kind}.document.main+xml"/>'
        "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship '
        f'Id="r" Type="{relation}/officeDocument" Target="word/document.xml"/>'
        "</Relationships>",
        "word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {_W}>{styles}</w:styles>",
    }
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


@needs_extra
def test_the_lines_of_a_pdf_are_pages():
    data = pdf("High water comes twice.", "Low water too.", title="Tides")
    prepared = prepare(data, "pdf")
    assert prepared.document.title == "Tides"
    (chunk,) = prepared.chunks
    assert (chunk.start_line, chunk.end_line) == (1, 2)
    assert "High water comes twice.\n\nLow water too." in chunk.content
    assert chunk.section_path == ("Tides",)


@needs_extra
@pytest.mark.parametrize("title", ["Microsoft Word - tides.doc", "tides.indd"])
def test_the_name_of_a_file_is_no_title(title):
    assert prepare(pdf("Text.", title=title), "pdf").document.title is None


@needs_extra
def test_headings_of_a_docx_are_sections():
    data = docx(
        ("Heading1", "Tides"),
        ("", "Read the gauge."),
        ("Heading2", "Moon"),
        ("", "Pull."),
    )
    prepared = prepare(data, "docx")
    assert prepared.document.title == "Tides"
    assert [c.section_path for c in prepared.chunks if c.is_leaf] == [
        ("Tides",),
        ("Tides", "Moon"),
    ]
    assert prepared.chunks[-1].start_line == 3


@needs_extra
def test_a_table_of_a_docx_is_a_table():
    prepared = prepare(docx(("", "Ports:"), table="port,hour Brest,3"), "docx")
    chunk = prepared.chunks[-1]
    assert "| port | hour |\n| --- | --- |\n| Brest | 3 |" in chunk.content


@needs_extra
@pytest.mark.parametrize("kind", ["pdf", "docx"])
@pytest.mark.parametrize(
    "data", [b"", b"text", b"%PDF-1.4\n\0", b"PK\3\4", b"\xff" * 99]
)
def test_a_damaged_file_is_one_named_problem(kind, data):
    prepared = prepare(data, kind)
    assert prepared.problem.startswith(f"not a readable {kind.upper()}: ")
    assert prepared.document is None


@pytest.mark.skipif(HAS_EXTRA, reason="the extra convert is installed")
def test_a_missing_extra_is_named(tmp_path):
    (tmp_path / "a.pdf").write_bytes(pdf("Text."))
    (tmp_path / "b.docx").write_bytes(b"x")
    found = discover([tmp_path], tmp_path, IndexConfig())
    assert found.skipped == {"need outcrop[convert]": 2}
    assert "outcrop[convert]" in prepare(b"x", "pdf").problem


def test_pdf_and_docx_are_kinds_of_document():
    assert kind_of("A.PDF").kind == "pdf"
    assert kind_of("a.docx").kind == "docx"
