"""The views of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import FastAPI


def add_pages(app: FastAPI) -> None:
    """Add the views to an application."""
