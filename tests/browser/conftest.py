"""A real browser and a real server."""

from browser.driven import browser, started_browser
from integration.http.served import harbour, harbour_index, served

__all__ = ["browser", "harbour", "harbour_index", "served", "started_browser"]
