"""What questions are translated with, and how it is learned."""

import io
import tarfile

import pytest
from training.association import associate
from training.lexicon import learn, read_messages, table_lines

MESSAGES = [
    ("Open the file", "Datei öffnen"),
    ("Close the file", "Datei schließen"),
    ("Open the window", "Fenster öffnen"),
    ("Close the window", "Fenster schließen"),
    ("Print the file", "Datei drucken"),
    ("Print the window", "Fenster drucken"),
]
COPYRIGHT = b"""\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: 2020 Somebody
License: Expat
"""
CATALOGUE = """\
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8"

msgid "Open the file"
msgstr "Datei öffnen"

msgid "Close"
msgstr "Schließen"
"""


def test_terms_that_come_together_mean_the_same():
    pairs = [(one.lower().split(), two.lower().split()) for one, two in MESSAGES]
    found = {(a.source, a.target): a.strength for a in associate(pairs)}
    best = max((pair for pair in found if pair[0] == "file"), key=lambda p: found[p])
    assert best == ("file", "datei")
    assert found[best] > 0.8
    assert all(0 < strength <= 1 for strength in found.values())


def test_without_messages_nothing_is_learned():
    assert list(associate([])) == []
    assert learn([]) == {}


def test_a_table_has_the_terms_of_the_index_with_their_weights():
    table = learn(MESSAGES)
    assert {word: next(iter(ways)) for word, ways in table.items()} == {
        "close": "schließen".replace("ß", "ss"),
        "file": "datei",
        "open": "offnen",
        "print": "drucken",
        "window": "fenster",
    }
    assert list(table) == sorted(table)
    assert all(
        10 <= weight <= 99 for ways in table.values() for weight in ways.values()
    )


def test_words_that_stay_the_same_are_not_in_a_table():
    assert "docker" not in learn(
        [("Docker", "Docker"), ("Open Docker", "Docker öffnen")]
    )


def test_a_line_has_a_term_and_its_translations():
    table = {"file": {"datei": 99, "dateien": 40}, "tea": {"tee": 98}}
    assert list(table_lines(table)) == ["file\tdatei 99\tdateien 40\n", "tea\ttee 98\n"]


@pytest.mark.parametrize(
    ("licence", "texts"),
    [
        (
            b"Expat",
            [("de", "Open the file", "Datei öffnen"), ("de", "Close", "Schließen")],
        ),
        (b"GPL-2", []),
    ],
)
def test_messages_of_permitted_packages_are_read_from_english(tmp_path, licence, texts):
    with tarfile.open(tmp_path / "tool_1.orig.tar.gz", "w:gz") as archive:
        _add(archive, "tool-1/po/de.po", CATALOGUE.encode())
    with tarfile.open(tmp_path / "tool_1-1.debian.tar.gz", "w:gz") as archive:
        _add(archive, "debian/copyright", COPYRIGHT.replace(b"Expat", licence))
    found = read_messages(tmp_path / "tool_1.orig.tar.gz")
    assert found.package == "tool"
    assert found.texts == texts


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    archive.addfile(entry, io.BytesIO(data))
