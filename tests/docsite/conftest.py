"""A real browser and the built site."""

from browser.driven import browser, started_browser
from docsite.built import served_site, site

__all__ = ["browser", "served_site", "site", "started_browser"]
