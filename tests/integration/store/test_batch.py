"""Statements sent together: their values and rows, errors, and what stays prepared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from psycopg import DataError
from psycopg.errors import UndefinedTable

from outcrop.errors import StorageError
from outcrop.store.batch import Statement, fetch, fetch_all, vector_value

if TYPE_CHECKING:
    from outcrop.store.database import Database

_PREPARED = "SELECT count(*) FROM pg_prepared_statements"


def test_rows_come_in_the_order_of_the_statements(database: Database) -> None:
    numbers = Statement("SELECT generate_series(1, %(last)s::int)", {"last": 3})
    text = Statement("SELECT %(text)s::text, 1.5::float8, NULL", {"text": "Zürich %s"})
    with database.read() as connection:
        found = fetch_all(connection, [numbers, text, numbers])
    assert found == [[(1,), (2,), (3,)], [("Zürich %s", 1.5, None)], [(1,), (2,), (3,)]]


@pytest.mark.parametrize(
    ("type_", "value", "read"),
    [
        ("text[]", ["a", 'quoted "b"', "back\\slash", "NULL"], None),
        ("text[]", [], None),
        ("text[]", None, None),
        ("bool", True, None),
        ("int", -7, None),
        ("text", "100%", None),
        ("vector", vector_value(np.array([1.0, 0.5], np.float32)), "[1,0.5]"),
    ],
)
def test_value_arrives_as_it_is(
    database: Database, type_: str, value: object, read: str | None
) -> None:
    with database.read() as connection:
        ((found,),) = fetch(connection, f"SELECT %(value)s::{type_}", {"value": value})
    assert found == (value if read is None else read)


def test_percent_sign_is_written_twice(database: Database) -> None:
    with database.read() as connection:
        assert fetch(connection, "SELECT 7 %% 4, %(a)s::int", {"a": 1}) == [(3, 1)]


def test_text_with_a_nul_is_refused(database: Database) -> None:
    with (
        pytest.raises((DataError, StorageError), match="NUL"),
        database.read() as connection,
    ):
        fetch(connection, "SELECT %(text)s::text", {"text": "a\0b"})


def test_more_statements_are_made_while_the_server_works(database: Database) -> None:
    with database.read() as connection:
        found = fetch_all(
            connection,
            [Statement("SELECT pg_sleep(0.01)::text")],
            lambda: [Statement("SELECT 1"), Statement("SELECT 2")],
        )
    assert found == [[("",)], [(1,)], [(2,)]]


def test_large_values_and_results_pass(database: Database) -> None:
    text = "x" * 5_000_000
    echo = Statement("SELECT %(text)s::text", {"text": text})
    with database.read() as connection:
        assert fetch_all(connection, [echo, echo]) == [[(text,)], [(text,)]]


def test_error_is_raised_and_the_connection_goes_on(database: Database) -> None:
    for _ in range(3):
        with (
            pytest.raises(StorageError, match="division by zero"),
            database.read() as connection,
        ):
            fetch_all(
                connection,
                [
                    Statement("SELECT 1"),
                    Statement("SELECT 1 / 0"),
                    Statement("SELECT 2"),
                ],
            )
        with database.read() as connection:
            assert fetch(connection, "SELECT 1") == [(1,)]


def test_wrong_statement_is_not_kept(database: Database) -> None:
    for _ in range(2):
        with (
            pytest.raises(StorageError, match="missing_table"),
            database.read() as connection,
        ):
            fetch(connection, "SELECT * FROM missing_table")


def test_failure_in_between_leaves_no_results_behind(database: Database) -> None:
    def fail() -> list[Statement]:
        raise ValueError("in between")

    with pytest.raises(ValueError, match="in between"), database.read() as connection:
        fetch_all(connection, [Statement("SELECT 1")], fail)
    with database.read() as connection:
        assert fetch(connection, "SELECT 2") == [(2,)]


def test_statements_of_a_reader_are_in_its_transaction(database: Database) -> None:
    count = "SELECT count(*) FROM index_settings"
    with database.read() as connection:
        assert fetch(connection, count) == [(0,)]
        with database.write() as writer:
            writer.execute("INSERT INTO index_settings VALUES ('k', '1')")
        assert fetch(connection, count) == [(0,)]
    with database.read() as connection:
        assert fetch(connection, count) == [(1,)]


def test_few_statements_stay_prepared(database: Database) -> None:
    with database.read() as connection:
        for number in range(250):
            assert fetch(connection, f"SELECT {number}") == [(number,)]
        (prepared,) = connection.execute(_PREPARED).fetchone() or (0,)
    assert 0 < prepared <= 100


def test_statements_stay_prepared_after_a_rollback(database: Database) -> None:
    for _ in range(20):  # of several connections, all are lent sooner or later
        with database.write() as connection:
            fetch(connection, "SELECT 1")
            for _ in range(6):
                connection.execute("SELECT 2")
            connection.execute("ALTER TABLE chunks ALTER COLUMN emb SET STORAGE PLAIN")
            connection.rollback()
            assert fetch(connection, "SELECT 1") == [(1,)]
            with pytest.raises(UndefinedTable):
                connection.execute("SELECT * FROM missing_table")
            connection.rollback()
            assert fetch(connection, "SELECT 1") == [(1,)]
