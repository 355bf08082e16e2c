"""The routes of the server, one file per subject."""

from __future__ import annotations

from outcrop.http.routes import chunk, documents, graph, health, runs, search

ROUTERS = (
    health.router,
    chunk.router,
    search.router,
    documents.router,
    graph.router,
    runs.router,
)
