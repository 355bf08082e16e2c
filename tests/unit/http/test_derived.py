"""Response models that take their fields from dataclasses."""

from __future__ import annotations

from dataclasses import dataclass, fields

import pytest
from pydantic import ValidationError

from outcrop.http.results import HitResult, Result, RunResult, fields_of
from outcrop.model.hit import Hit
from outcrop.model.run import Run, RunState


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    title: str
    pages: int = 0
    hidden: str = ""
    reader: NotInstalled | None = None  # noqa: F821 - a name for type checkers only


@fields_of(Book, without=["hidden", "reader"])
class BookResult(Result):
    """A book."""

    title: str | None


@fields_of(Book, "pages")
class PagesResult(Result):
    """The size of a book."""


def test_a_model_takes_the_fields_that_are_not_left_out():
    assert set(BookResult.model_fields) == {"title", "pages"}
    assert set(PagesResult.model_fields) == {"pages"}
    assert BookResult.__doc__ == "A book."


def test_every_field_is_required_and_keeps_its_type():
    with pytest.raises(ValidationError, match="pages"):
        BookResult.model_validate({"title": "x"})
    with pytest.raises(ValidationError, match="valid integer"):
        BookResult.model_validate({"title": "x", "pages": "many"})


def test_a_field_that_the_model_declares_takes_precedence():
    assert BookResult.model_validate({"title": None, "pages": 1}).title is None


def test_a_model_is_made_of_a_value():
    made = BookResult.model_validate(Book(title="x", hidden="y"))
    assert made.model_dump() == {"title": "x", "pages": 0}


def test_a_new_field_of_the_library_is_a_new_field_of_the_answer():
    assert set(HitResult.model_fields) == {field.name for field in fields(Hit)}
    assert set(RunResult.model_fields) == {field.name for field in fields(Run)}
    run = RunResult.model_validate(Run(id=1, kind="index", state=RunState.DONE))
    assert run.model_dump(mode="json")["state"] == "done"
