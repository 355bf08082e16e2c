"""Words of a question in the language of the documents."""

from __future__ import annotations

import pytest

from outcrop.model.candidate import TermStatistics, idf
from outcrop.search import foreign
from outcrop.search.foreign import (
    foreign_languages,
    translate_words,
    weigh_translated,
)
from outcrop.search.question import make_question
from outcrop.search.words import weigh_words
from outcrop.text.language import detect_language
from unit.search.candidates import candidate, code


@pytest.fixture
def tables(monkeypatch):
    """A lexicon of a few words."""
    known = {
        ("tea", "en", "de"): {"tee": 0.8, "teekanne": 0.2},
        ("tea", "en", "fr"): {"the": 0.6},
        ("boil", "en", "de"): {"kochen": 0.5},
        ("tee", "de", "en"): {"tea": 0.8},
    }
    monkeypatch.setattr(foreign, "translate", lambda *key: dict(known.get(key, {})))


def languages(text, candidates):
    return foreign_languages(make_question(text, limit=1), candidates)


def words_of(text, *languages):
    return translate_words(make_question(text, limit=1), languages)


def test_documents_are_foreign_if_most_are_in_another_language():
    german = [candidate(name, lang="de") for name in "abc"]
    asked = "how is the water of the pot on the stove boiled"
    others = [candidate("d", lang="en"), candidate("e", lang="fr"), code("f", lang="c")]
    assert languages(asked, [*german, *others]) == ["de", "fr"]
    assert languages(asked, [german[0], *others[:1]]) == []
    assert languages("Wie kocht man den Tee", german) == []
    assert languages(asked, []) == []


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Copy files to a server", "de", True),
        ("File permissions", "de", True),
        ("Delete that account", "es", True),
        ("Upgrade Kubernetes nodes", "fr", True),  # a name is in no table
        ("Customizing systemd", "es", True),
        ("Adding a user as root", "pt", True),  # `a` and `as` are Portuguese, too
        ("Menu entries of a Siesta", "es", True),
        ("Dateien kopieren", "de", False),
        ("Server Benutzer", "de", False),
        ("Deployment", "de", False),  # one word may be of both
        ("Kochen in der Firewall", "de", False),
        ("Upgrade Kubernetes Grafana Traefik", "de", False),
        ("Kopie von file permissions", "de", False),
        ("file_permissions", "de", False),
        ("File permissions", "it", False),  # there is no table
        ("File permissions", "en", False),
    ],
)
def test_a_few_words_are_english_if_most_of_those_known_are_english_alone(
    text, language, expected
):
    found = languages(text, [candidate("a", lang=language)])
    assert found == ([language] if expected else [])


@pytest.mark.usefixtures("tables")
def test_each_word_has_the_translations_into_all_languages():
    assert words_of("the tea", "de", "fr") == {
        "tea": {"tee": 1.0, "teekanne": pytest.approx(0.25), "the": 1.0}
    }
    assert words_of("the tea") == {}


@pytest.mark.usefixtures("tables")
def test_a_word_that_is_not_known_is_translated_in_its_other_forms():
    assert words_of("how is water boiled", "de") == {"boiled": {"kochen": 1.0}}


@pytest.mark.usefixtures("tables")
def test_questions_in_other_languages_are_translated_into_english():
    assert words_of("der Tee und die Kanne", "en") == {"tee": {"tea": 1.0}}


@pytest.mark.usefixtures("tables")
def test_a_few_words_that_pass_for_another_language_are_translated_from_english():
    assert detect_language("do boil tea as") == "pt"
    assert words_of("do boil tea as", "de")["boil"] == {"kochen": 1.0}


@pytest.mark.usefixtures("tables")
def test_names_of_code_are_not_translated():
    assert words_of("tea", "de") == {"tea": {"tee": 1.0, "teekanne": 0.25}}
    assert words_of("tea()", "de") == {}
    assert words_of("boil_tea", "de") == {}
    assert words_of("boilTea", "de") == {}
    assert words_of("what does `tea` do", "de") == {}
    assert words_of("what does boil.tea do", "de") == {}


def test_a_word_and_its_translations_weigh_as_one():
    known = {
        "tea": TermStatistics(1, 1.0, 100),
        "tee": TermStatistics(10, 1.0, 100),
        "teekanne": TermStatistics(4, 1.0, 100),
    }
    ways = {"tee": 1.0, "teekanne": 0.5, "teesorte": 1.0}
    weight = idf(100, 1 + 10 + 0.5 * 4)
    assert weigh_translated({"tea": ways}, known) == {
        "tea": weight,
        "tee": weight,
        "teekanne": weight / 2,
    }
    assert weigh_translated({"cup": {"tasse": 1.0}}, known) == {}


def test_a_translation_of_two_words_counts_for_both():
    known = {"kennwort": TermStatistics(5, 1.0, 100)}
    ways = {"kennwort": 1.0}
    found = weigh_translated({"password": ways, "passphrase": ways}, known)
    assert found == {"kennwort": pytest.approx(2 * idf(100, 5))}


def test_a_heading_in_another_language_agrees_with_the_question():
    weights = {"tee": 2.0, "teekanne": 0.5, "kochen": 1.0}
    ways = {"tea": {"tee": 1.0, "teekanne": 0.2}, "boil": {"kochen": 1.0}}
    words = weigh_words(["tea", "boil"], weights, ways)
    assert words.share(frozenset(["tee"])) == 1.0
    assert words.share(frozenset(["tee", "kanne"])) == 0.5
    assert words.total == 3.0  # each word once, however many translations it has
