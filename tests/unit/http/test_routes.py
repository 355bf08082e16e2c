"""Routes leave it to the gates how many threads work for requests."""

from __future__ import annotations

from inspect import iscoroutinefunction

import pytest

from outcrop.http.routes import chunk, documents, graph, runs, search

ROUTES = [
    route
    for subject in (chunk, documents, graph, runs, search)
    for route in subject.router.routes
]


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.path)
def test_nothing_is_called_in_a_thread_of_the_framework(route):
    called = [route.endpoint, *(d.call for d in route.dependant.dependencies)]
    assert [each for each in called if not iscoroutinefunction(each)] == []
