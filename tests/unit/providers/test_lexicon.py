"""The tables of translations that come with the package."""

import pytest

from outcrop.providers import lexicon
from outcrop.providers.lexicon import FOLDER, LANGUAGES, languages_of, translate


def best(term, language, into):
    found = translate(term, language, into)
    return max(found, key=lambda text: found[text])


@pytest.mark.parametrize(
    ("term", "into", "expected"),
    [
        ("file", "de", "datei"),
        ("password", "es", "contrasena"),
        ("file", "fr", "fichier"),
        ("delete", "ja", "削除"),
        ("error", "ko", "오류"),
        ("user", "pt", "usuario"),
        ("file", "ru", "файл"),
        ("delete", "zh", "删除"),
    ],
)
def test_words_of_programs_are_known_in_both_directions(term, into, expected):
    assert best(term, "en", into) == expected
    assert best(expected, into, "en") == term


def test_a_term_is_found_as_a_whole():
    assert translate("fil", "en", "de") == {}
    assert translate("ile", "en", "de") == {}
    assert translate("dateie", "de", "en") == {}


@pytest.mark.parametrize(
    ("term", "language", "into"),
    [
        ("xyzzyplugh", "en", "de"),
        ("xyzzyplugh", "de", "en"),
        ("file", "en", "it"),
        ("datei", "de", "fr"),
        ("file", "en", "en"),
        ("99", "de", "en"),
        ("", "en", "de"),
    ],
)
def test_what_is_not_in_the_tables_has_no_translation(term, language, into):
    assert translate(term, language, into) == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_has_words_with_one_to_six_translations(language):
    lines = (FOLDER / f"{language}.tsv").read_text(encoding="utf-8").splitlines()
    words = [line.split("\t")[0] for line in lines]
    assert words == sorted(set(words))
    for line in lines:
        word, *ways = line.split("\t")
        assert word.isascii()
        assert 1 <= len(ways) <= 6
        texts = [way.split(" ")[0] for way in ways]
        assert all(text.isalpha() and text == text.casefold() for text in texts)
        assert all(1 <= int(way.split(" ")[1]) <= 99 for way in ways)


def test_a_table_says_which_language_a_word_is_of():
    assert languages_of("password", "de") == {"en"}
    assert languages_of("ordner", "de") == {"de"}
    assert languages_of("name", "de") <= {"en", "de"}
    assert languages_of("xyzzyplugh", "de") == set()
    assert languages_of("folder", "it") == set()


def test_the_tables_are_small():
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 2_000_000


def test_the_last_line_of_a_table_is_read(tmp_path, monkeypatch):
    (tmp_path / "de.tsv").write_text("cup\ttasse 90\ntea\ttee 99\tteesorte 7\n")
    monkeypatch.setattr(lexicon, "FOLDER", tmp_path)
    lexicon._tables.cache_clear()
    try:
        assert translate("tea", "en", "de") == {"tee": 1.0, "teesorte": 7 / 99}
        assert translate("teesorte", "de", "en") == {"tea": 7 / 99}
        assert translate("tasse", "de", "en") == {"cup": 90 / 99}
    finally:
        lexicon._tables.cache_clear()
