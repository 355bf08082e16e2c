from __future__ import annotations

from uuid import UUID

import pytest

from outcrop.adapters.nodes import DocumentNames, chunk_key
from outcrop.model.stored import store_id


def test_an_id_is_the_one_the_store_gives():
    assert chunk_key("docs/a.md", "60398feb") == store_id("docs/a.md", "60398feb")


def test_an_id_can_be_a_uuid():
    key = chunk_key("docs/a.md", "60398feb", as_uuid=True)
    assert str(UUID(key)) == key
    assert key == chunk_key("docs/a.md", "60398feb", as_uuid=True)
    assert key != chunk_key("docs/b.md", "60398feb", as_uuid=True)


def test_a_path_that_is_not_unicode_has_an_id():
    assert len(chunk_key("docs/\udc80.md", "60398feb")) == 16


@pytest.mark.parametrize("key", ["file_path", "source"])
def test_a_document_is_named_by_its_path(key):
    assert DocumentNames().name({key: "docs/a.md"}, "an id", "text") == "docs/a.md"


@pytest.mark.parametrize("key", ["page", "page_label", "page_number"])
def test_pages_of_one_file_have_names_of_their_own(key):
    first = DocumentNames().name({"source": "a.pdf", key: 0}, None, "text")
    second = DocumentNames().name({"source": "a.pdf", key: 1}, None, "text")
    assert first != second


def test_a_document_without_a_path_is_named_by_its_id():
    assert DocumentNames().name({}, "manual", "text") == "manual"


@pytest.mark.parametrize("own_id", [None, "", "7f0c2f52-6a54-4b0f-9d54-1f6f2a1b9c3e"])
def test_a_document_without_path_and_id_is_named_by_its_text(own_id):
    name = DocumentNames().name({}, own_id, "text")
    assert name == DocumentNames().name({}, None, "text")
    assert name != DocumentNames().name({}, None, "other text")


def test_a_uuid_that_was_made_of_a_name_is_an_id():
    own_id = "886313e1-3b8a-5372-9b90-0c9aee199e5d"
    assert DocumentNames().name({}, own_id, "text") == own_id


def test_a_name_that_is_taken_is_numbered():
    names = DocumentNames()
    given = [names.name({"source": "a.md"}, None, "text") for _ in range(3)]
    assert given[0] == "a.md"
    assert len(set(given)) == 3
