"""Counting what a document is made of."""

from __future__ import annotations

import pytest

from outcrop import analyse

DOCUMENT = """\
# Title

Text with a list:

- one
  - inner
- two

## Code

```py
x = 1
```

    indented

| a | b |
|---|---|
| c | d |

> ```
> quoted
> ```

#### Deep
"""


def test_everything_is_counted():
    analysis = analyse(DOCUMENT)
    assert analysis.total_chars == len(DOCUMENT)
    assert analysis.total_lines == DOCUMENT.count("\n") + 1
    assert analysis.code_block_count == 3
    assert analysis.table_count == 1
    assert analysis.list_item_count == 3
    assert analysis.header_count == 3
    assert analysis.max_header_depth == 4


def test_the_share_of_code_is_of_all_characters():
    code = "```\n" + "x" * 92 + "\n```"
    assert analyse(code).code_ratio == 1.0
    analysis = analyse("y" * 298 + "\n\n" + code)
    assert analysis.code_ratio == pytest.approx(100 / 400)


def test_blank_text_counts_nothing():
    analysis = analyse("")
    assert analysis.total_lines == 1
    assert analysis.code_ratio == 0.0
    assert analysis.header_count == analysis.max_header_depth == 0
    assert analysis.code_block_count == analysis.table_count == 0


def test_nested_headings_do_not_count():
    assert analyse("> # a\n\n- # b\n").header_count == 0


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_are_counted_by_any_line_end(newline):
    assert analyse(newline.join("abc")).total_lines == 3


def test_the_parsed_document_comes_with_the_counts():
    analysis = analyse(DOCUMENT)
    assert analysis.document.text == DOCUMENT
    assert "document" not in repr(analysis)
