from __future__ import annotations

from pathlib import Path

import pytest

from outcrop.adapters import code
from outcrop.adapters.code import code_pieces
from outcrop.errors import UnknownLanguageError

SOURCE = Path(code.__file__).read_text(encoding="utf-8")


def pieces_of(text=SOURCE, *, metadata=None, **given):
    given = {"language": None, "limit": 600, "length": len, **given}
    return list(code_pieces(text, "a.py", metadata=metadata or {}, **given))


def test_pieces_are_spans_and_hold_all_of_the_code():
    done = 0
    for piece in pieces_of(language="python"):
        start, end = piece.fields["start_index"], piece.fields["end_index"]
        assert piece.text == SOURCE[start:end]
        assert not SOURCE[done:start].strip()
        assert piece.content == piece.fields.get("prefix", "") + piece.text
        assert len(piece.content) <= 600
        assert piece.fields["start_line"] == SOURCE.count("\n", 0, start) + 1
        done = end
    assert not SOURCE[done:].strip()


def test_the_last_line_is_the_last_that_holds_text():
    (only,) = pieces_of("def f():\n    pass\n\n\n", language="python")
    assert (only.fields["start_line"], only.fields["end_line"]) == (1, 2)


@pytest.mark.parametrize("key", ["file_path", "source"])
def test_the_path_tells_the_language(key):
    pieces = pieces_of(metadata={key: "src/a.py"})
    assert {piece.fields["language"] for piece in pieces} == {"python"}


@pytest.mark.parametrize("metadata", [{}, {"source": "notes.unheard-of"}])
def test_a_language_that_cannot_be_told_is_refused(metadata):
    with pytest.raises(UnknownLanguageError, match="pass `language`"):
        pieces_of(metadata=metadata)


def test_equal_pieces_have_ids_of_their_own_that_last():
    text = "x = 1\n" * 200
    pieces = pieces_of(text, language="python", limit=60)
    ids = [piece.id for piece in pieces]
    assert len({piece.text for piece in pieces}) < len(pieces)
    assert len(set(ids)) == len(ids)
    assert ids == [p.id for p in pieces_of(text, language="python", limit=60)]


def test_an_unknown_language_is_refused_for_a_short_text_too():
    with pytest.raises(UnknownLanguageError, match="unknown language 'pyhton'; choose"):
        list(
            code_pieces(
                "x = 1\n", "a", language="pyhton", metadata={}, limit=100, length=len
            )
        )
