"""Sections to keep, with everything a section can have."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from outcrop.sections import IndexingConfig, MarkdownSplitter

TEXT = """前文です。文書全体の要約を生成します。

# Installation

Run the installer and wait for the green light.

## Настройка

Укажите адрес сервера базы данных.

### Emoji 👍🏽

```python
print("hello")
```
"""


@pytest.fixture
def sections():
    """Four sections; the first two have no vector."""
    splitter = MarkdownSplitter(IndexingConfig(max_tokens_per_section=12))
    found = splitter.split(TEXT, "docs/readme.md", "c0ffee")
    moment = datetime(2026, 3, 4, 5, 6, 7, 890_000, tzinfo=UTC)
    found[2] = replace(found[2], vector=(1.0, 0.5, -0.25, 0.0), is_dirty=True)
    found[3] = replace(
        found[3],
        vector=(0.0, 1.0, 0.0, 0.125),
        created_at=moment,
        updated_at=moment,
        summary="Кратко.",
        document_summary="全体。",
        summary_error="document summary: timed out",
    )
    return found
