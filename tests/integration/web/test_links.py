"""Links of documents lead to other documents, to headings, outside, or nowhere."""

from __future__ import annotations

import pytest

from outcrop.web.document_pages import resolve_links


@pytest.mark.parametrize(
    ("target", "address"),
    [
        ("guide.md", "/documents/docs/guide.md?view=read"),
        ("guide", "/documents/docs/guide.md?view=read"),
        ("guide.html", "/documents/docs/guide.md?view=read"),
        ("./guide.md#fees", "/documents/docs/guide.md?view=read#s-fees"),
        ("/docs/guide.md", "/documents/docs/guide.md?view=read"),
        ("../src/harbour/berths.py", "/documents/src/harbour/berths.py"),
        ("%C3%BCn%C3%AF%20%26%20co%231%3F.md",
         "/documents/docs/%C3%BCn%C3%AF%20%26%20co%231%3F.md?view=read"),
        ("#Fees", "#s-fees"),
        ("#", "#main"),
        ("https://example.org/a?b#c", "https://example.org/a?b#c"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("missing.md", None),
        ("../../etc/passwd", None),
        ("javascript:alert(1)", None),
        ("JaVaScRiPt:alert(1)", None),
        ("java\tscript:alert(1)", None),
        (" javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("//example.org/x", None),
        ("https://example.org/\n", None),
        ("//[", None),
        ("a\0b", None),
        ("", None),
    ],
)  # fmt: skip
def test_a_link_leads_somewhere_safe(harbour_index, target, address):
    found = resolve_links(harbour_index, "docs/notes.md", [target])
    assert found.get(target) == address
