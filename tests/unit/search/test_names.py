"""Names of symbols, and their words."""

from __future__ import annotations

import pytest

from outcrop.search.names import find_names, is_symbol, spelled_out


@pytest.mark.parametrize(
    "text", ["parse", "JsonWriter", "get_chunk", "Store.get", "a::b::C", "f(int, str)"]
)
def test_a_name_is_a_symbol(text: str):
    assert is_symbol(text)


@pytest.mark.parametrize("text", ["how is it parsed", "json writer", "2 cups", "a, b"])
def test_a_sentence_is_no_symbol(text: str):
    assert not is_symbol(text)


@pytest.mark.parametrize(
    "text",
    [
        "設定を変更する方法",
        "如何安装软件",
        "설치하기",
        "ネットワーク/設定",
        "Node.jsの入れ方",
        "get_chunkの使い方",
    ],
)
def test_a_question_without_spaces_is_no_symbol(text: str):
    assert not is_symbol(text)


@pytest.mark.parametrize("text", ["计算总和()", "合計_値", "帳票.合計", "표::합계"])
def test_names_of_code_may_be_in_a_script_without_spaces(text: str):
    assert is_symbol(text)


def test_a_name_ends_where_a_script_without_spaces_begins():
    assert list(find_names("get_chunkを呼ぶ前にNode.jsを入れる")) == [
        ("get_chunk",),
        ("Node", "js"),
    ]


def test_an_underscore_between_such_letters_is_no_name():
    assert list(find_names("設定_項目を変える")) == []


def test_a_name_is_spelled_out():
    assert spelled_out("HTTPServer get_all") == "http server get all"


def test_names_in_a_question_of_capitals_are_found_in_linear_time():
    """At this size, counting capitals from each of them takes half a minute."""
    assert list(find_names("A" * 80_000 + " and JsonWriter")) == [("JsonWriter",)]
