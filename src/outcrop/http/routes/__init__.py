"""The routes of the server, one file a subject."""

from __future__ import annotations

from outcrop.http.routes import chunking, documents, graph, health, runs, searching

ROUTERS = (
    health.router,
    chunking.router,
    searching.router,
    documents.router,
    graph.router,
    runs.router,
)
