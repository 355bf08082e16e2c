"""The provider of the tools: it needs no account, so there is nothing to check."""

from __future__ import annotations

from typing import Any

from dify_plugin import ToolProvider


class OutcropProvider(ToolProvider):
    """Offers the chunkers."""

    def _validate_credentials(self, credentials: dict[str, Any]) -> None:
        """Accept: there are no credentials."""
