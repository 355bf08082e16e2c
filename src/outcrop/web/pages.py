"""The views of the page, for the application that serves the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.staticfiles import StaticFiles

from outcrop.http.app import Mounted
from outcrop.web import (
    code_pages,
    document_pages,
    login_pages,
    run_pages,
    search_pages,
)
from outcrop.web.render import error_page

if TYPE_CHECKING:
    from fastapi import FastAPI

# The style and script of a document are those of the page of the command line.
_FILES: list[str | tuple[str, str]] = [
    ("outcrop.web", "static"),
    ("outcrop.presentation", "static"),
]
_VIEWS = (search_pages, document_pages, code_pages, run_pages, login_pages)


def mount_pages() -> Mounted:
    """Make the page, for `create_app`."""
    return Mounted(add=_add_pages)


def _add_pages(app: FastAPI) -> None:
    """Add the views, their files and the page for errors to an application."""
    for view in _VIEWS:
        app.include_router(view.router, include_in_schema=False)
    app.mount("/static", StaticFiles(packages=_FILES))
    app.state.error_page = error_page
    app.state.has_login_page = True
