"""Questions in another language than the documents."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from integration.store.servers import fresh_database
from outcrop.indexing.index import Index
from outcrop.indexing.sharded import ShardedIndex
from outcrop.search import foreign

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGES = {
    "dateien.md": "# Dateien löschen\n\nDas Programm entfernt die Datei und den Ordner.\n",
    "kennwort.md": "# Kennwort\n\nDas Kennwort wird vom Server geprüft und ist geheim.\n",
    "netz.md": "# Netzwerk\n\nDie Verbindung mit dem Netzwerk wird von dort geöffnet.\n",
    "drucker.md": "# Drucker\n\nDer Drucker ist mit dem Rechner über ein Kabel verbunden.\n",
}
QUESTIONS = {
    "how to remove a file from the folder": "dateien.md",
    "the password that is checked for the login": "kennwort.md",
    "how to open the connection of the network": "netz.md",
    "it is the printer that is not connected": "drucker.md",
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("translated")
    for name, text in PAGES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def index(pages, server_url) -> Iterator[Index]:
    with (
        fresh_database(server_url) as url,
        Index.open(pages, database_url=url) as opened,
    ):
        opened.index()
        yield opened


@pytest.mark.parametrize(("question", "page"), QUESTIONS.items())
def test_a_question_finds_the_page_that_has_its_words_in_another_language(
    index, question, page
):
    best, *others = index.search(question, 4)
    assert best.path == page
    assert best.scores["lexical"] > 0
    assert all(hit.scores["lexical"] < best.scores["lexical"] for hit in others)


def test_words_of_the_heading_count_in_the_language_of_the_document(index):
    (best,) = index.search("how to connect the printer and the computer", 1)
    assert best.path == "drucker.md"
    assert best.scores["title"] > 0


def test_mode_text_looks_for_the_words_as_they_are(index):
    assert index.search("how to open the connection", 4, mode="text") == []


def test_questions_in_the_language_of_the_documents_are_not_translated(
    index, monkeypatch
):
    asked = ("Wie wird die Datei gelöscht", "Kennwort", "Drucker in Berlin", "Server")
    before = [index.search(question, 4) for question in asked]

    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr(foreign, "translate", refuse)
    assert [index.search(question, 4) for question in asked] == before


def test_a_single_word_is_translated_unless_code_may_have_it_as_a_name(
    tmp_path, server_url
):
    pages = {
        "a.md": "# Пароль\n\nСервер проверяет его при каждом входе, и он тайный.\n",
        "b.md": "# Сеть\n\nСоединение с сетью открывает программа на компьютере.\n",
        "c.md": "# Файлы\n\nПрограмма удаляет файлы и папки, которые не нужны.\n",
    }
    for name, text in pages.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with (
        fresh_database(server_url) as url,
        Index.open(tmp_path, database_url=url) as opened,
    ):
        opened.index()
        assert opened.search("Password", 3)[0].scores["lexical"] == 1.0
        assert opened.search("Password", 3)[0].path == "a.md"
        (tmp_path / "d.py").write_text("def password():\n    return 1\n")
        opened.index()
        best, *others = opened.search("password", 4)
        assert best.path == "d.py"
        assert all(hit.scores["lexical"] == 0.0 for hit in others)


def test_several_databases_answer_as_one(index, pages, server_url):
    with ExitStack() as opened:
        urls = [opened.enter_context(fresh_database(server_url)) for _ in range(3)]
        several = opened.enter_context(ShardedIndex.open(urls, pages))
        several.index()
        for question in QUESTIONS:
            expected = index.search(question, 4)
            found = several.search(question, 4)
            assert [hit.path for hit in found] == [hit.path for hit in expected]
            assert [hit.score for hit in found] == pytest.approx(
                [hit.score for hit in expected], rel=1e-5
            )
