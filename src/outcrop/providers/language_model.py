"""The interface of a language model."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class LanguageModel(Protocol):
    """Answers a prompt with text."""

    @property
    def name(self) -> str:
        """Names the model."""
        ...

    async def complete(self, prompt: str, *, system: str | None = None) -> str:
        """Answer a prompt.

        Args:
            prompt: The request.
            system: Instructions that are kept apart from the request.
        """
        ...
