import pytest

from outcrop.text.language import detect_language, is_foreign


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Return the sum of the items that are in the cart.", "en"),
        ("Разбивает узлы графа на чанки.", "ru"),
        ("Розбиває вузли графа на частини і зберігає їх.", "uk"),
        ("文書をセクションに分割する。", "ja"),
        ("将文档拆分为章节。", "zh"),
        ("문서를 여러 섹션으로 나눕니다.", "ko"),
        ("Gibt die Summe der Posten zurück, die nicht leer sind.", "de"),
        ("Renvoie la somme des articles qui sont dans le panier.", "fr"),
        ("Devuelve la suma de los artículos que no se han pagado.", "es"),
        ("Υπολογίζει το σύνολο.", "el"),
        ("مجموع العناصر في السلة", "ar"),
    ],
)
def test_the_language_of_a_sentence_is_known(text, language):
    assert detect_language(text) == language


def test_code_in_the_text_does_not_count():
    text = (
        "Считает `get_the_sum_of_all_items_in_the_cart` один раз.\n\n```py\nthe\n```\n"
    )
    assert detect_language(text) == "ru"


@pytest.mark.parametrize("text", ["", "  \n", "1234 + 5", "`name`"])
def test_text_without_letters_has_no_language(text):
    assert detect_language(text) is None


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("how is the water of the pot on the stove boiled", "de", True),
        ("how is the water of the pot on the stove boiled", "en", False),
        ("Wie wird das Wasser und der Tee mit einer Kanne gekocht", "en", True),
        ("Wasser kochen", "en", False),  # no word tells
        ("Installation in Docker", "de", False),
        ("boil water", "ja", True),
        ("お湯", "en", True),
        ("お湯", "zh", False),  # they share characters
        ("чай", "uk", False),
        ("kubectl apply を使う", "ja", False),
        ("使用 kubectl apply", "zh", False),
        ("Kubernetes と Docker", "zh", False),
        ("123", "ja", False),
    ],
)
def test_a_text_is_foreign_to_a_language_if_that_is_certain(text, language, expected):
    assert is_foreign(text, language) is expected


@pytest.mark.parametrize(
    "text",
    [
        "# Tide gauge\n\nA gauge at a pier.\n\nHeat a cup, do not spill.",
        "Take a bus",
        "A tide",
        "Boil water",
    ],
)
def test_a_short_english_text_is_english(text):
    assert detect_language(text) == "en"


@pytest.mark.parametrize(
    "text",
    [
        "Del key",  # Spanish and Italian have the word
        "Die Hard",
        "Uma chave",  # one word alone
    ],
)
def test_a_short_text_with_a_word_of_another_language_has_none(text):
    assert detect_language(text) is None


def test_two_words_of_a_language_and_none_of_others_tell_it():
    assert detect_language("Wasser für die Kanne") == "de"
    assert detect_language("Gerar uma chave para o servidor") == "pt"
