"""Filters are offered where the hits differ, and only those."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from outcrop.cli.render.hits import offer_filters
from outcrop.model.stored import Document
from unit.hits import make_hit


@dataclass
class Documents:
    """The documents of an index, as far as they are asked for."""

    languages: dict[str, str]

    @property
    def parts(self):
        return [self]

    @property
    def store(self):
        return self

    def get_documents(self, paths):
        return [
            Document(path=path, kind="markdown", fingerprint="", lang=lang)
            for path, lang in self.languages.items()
            if path in paths
        ]


def hit(path: str, source: str = "doc"):
    return replace(make_hit(lexical=1.0), path=path, source=source)


def offer(hits, used=(), **languages) -> None:
    known = {
        path: languages.get(path.rpartition(".")[2], "en")
        for path in (each.path for each in hits)
    }
    offer_filters(Documents(known), hits, used=used)


def test_documents_and_code_can_be_told_apart(capsys):
    offer([hit("docs/a.md"), hit("docs/b.py", "code")], py="python")
    assert capsys.readouterr().err == (
        "narrow it with: --kind doc, --kind code; --lang en, --lang python\n"
    )


def test_outermost_folders_are_offered(capsys):
    offer([hit("one/docs/a.md"), hit("two/b.md"), hit("two/x/c.md")])
    assert capsys.readouterr().err == "narrow it with: --path two/, --path one/\n"


def test_inner_folders_need_no_filter(capsys):
    offer([hit("docs/one/a.md"), hit("docs/two/b.md"), hit("docs/c.md")])
    assert capsys.readouterr().err == ""


def test_a_folder_with_spaces_is_quoted(capsys):
    offer([hit("my docs/a.md"), hit("src/b.md")])
    assert "--path 'my docs/'" in capsys.readouterr().err


def test_hits_that_agree_need_no_filter(capsys):
    offer([hit("docs/a.md"), hit("docs/b.md")])
    offer([hit("a.md")])
    offer([])
    assert capsys.readouterr().err == ""


def test_a_filter_that_is_set_is_not_offered(capsys):
    hits = [hit("docs/a.md"), hit("src/b.py", "code")]
    offer(hits, used={"--kind", "--lang", "--path"}, py="python")
    assert capsys.readouterr().err == ""


def test_paths_outside_the_project_do_not_fail(capsys):
    offer([hit("/elsewhere/a.md"), hit("docs/b.md")])
    assert "--path" not in capsys.readouterr().err


@pytest.mark.parametrize("number", [4, 9])
def test_few_values_are_offered(number, capsys):
    offer([hit(f"d{at}/a.md") for at in range(number)])
    assert capsys.readouterr().err.count("--path") == 3
