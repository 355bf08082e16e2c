"""JSX, shortcodes and tags are blocks of their own, found without loss."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop import ChunkConfig, MarkdownChunker
from outcrop.markdown import Kind, parse
from outcrop.markdown.embedded import find_embedded, hide

MDX = """\
---
title: T
---

import Tabs from '@theme/Tabs'
export const price = {
  adult: 1,

  child: 2
}

Some text with {price.adult} inside.

<Chart
  data={[
    1,

    2
  ]}
  title="# none"
/>

<Note>
# Not a heading, as no blank line is before it
</Note>

<Term>API</Term> is a word.

<Tabs>

## Inside

</Tabs>

```js
import x from 'y'
```
"""


def _blocks(text, **options):
    return [text[start:end] for start, end in find_embedded(text, **options)]


def test_imports_exports_and_components_of_mdx_are_blocks():
    found = _blocks(MDX, is_mdx=True)
    assert [block.split("\n")[0] for block in found] == [
        "import Tabs from '@theme/Tabs'",
        "<Chart",
        "<Note>",
        "<Tabs>",
        "</Tabs>",
    ]
    assert found[0].rstrip().endswith("child: 2\n}")
    assert found[1].rstrip().endswith("/>")
    document = parse(MDX, find_embedded(MDX, is_mdx=True))
    assert [heading.title for heading in document.headings] == ["Inside"]
    kinds = [Kind(kind) for kind in document.blocks.kinds]
    assert kinds.count(Kind.HTML) == 5
    assert Kind.FENCE in kinds


@pytest.mark.parametrize(
    "block",
    [
        "{{< highlight sh >}}\n# not a heading\n\nls\n{{< /highlight >}}",
        "{{% code %}}\n# x\n{{% /code %}}",
        "{% highlight ruby %}\n# x\n\n# y\n{% endhighlight %}",
        "{% raw %}\n# x\n{% endraw %}",
        '{{< figure\n  src="a.png"\n\n  title="One. Two." >}}',
        "{% include note.html\n   text='# x' %}",
        "{{< tabs >}} {{% tab %}}",
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_shortcodes_and_tags_are_whole(block, newline):
    text = f"# T\n\nbefore\n\n{block}\n\n## After\n".replace("\n", newline)
    assert _blocks(text) == [block.replace("\n", newline) + newline]
    document = parse(text, find_embedded(text))
    assert [heading.title for heading in document.headings] == ["T", "After"]


@pytest.mark.parametrize(
    "text",
    [
        "text with {{< ref x >}} inside\n",
        "{{< highlight sh >}} is never closed\n# T\n",
        "```\n{{< tabs >}}\n```\n",
        "{{ variable }}\n",
        "{%\n",
    ],
)
def test_other_text_is_left_alone(text):
    assert _blocks(text) == []


def test_markdown_that_is_not_mdx_has_no_components():
    assert _blocks("import x\n\n<Note>\nx\n</Note>\n") == []


_PIECES = st.sampled_from(
    ["{{<", ">}}", "{{%", "%}}", "{%", "%}", "highlight", "/highlight", "endraw", "raw",
     "<Tabs>", "</Tabs>", "<A b={", "}", "import x", "export {", "\n", "\n\n", "\r\n", "\r",
     "# H", "text", "```", "---\n", "  ", "é", "\ufeff"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=25).map("".join), st.booleans())
@settings(deadline=None)
def test_any_text_is_cut_without_loss(text, is_mdx):
    spans = find_embedded(text, is_mdx=is_mdx)
    assert spans == sorted(spans)
    hidden = hide(text, spans)
    assert len(hidden) == len(text)
    assert [at for at, c in enumerate(hidden) if c in "\r\n"] == [
        at for at, c in enumerate(text) if c in "\r\n"
    ]
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=60))
    leaves = chunker.chunk_hierarchical(text, embedded=spans).get_flat_chunks()
    covered = "".join(text[c.start_offset : c.end_offset] for c in leaves)
    assert "".join(covered.split()) == "".join(text.split())
    for start, end in spans:
        own = start + len(text[start:end].rstrip())
        assert any(c.start_offset <= start and own <= c.end_offset for c in leaves)


@pytest.mark.parametrize("line", ["{% raw %}\n", "<A b={\n", "{{< x\n", "{{% x {%\n"])
def test_what_is_never_closed_takes_linear_time(line):
    started = time.process_time()
    find_embedded(line * 20_000, is_mdx=True)
    assert time.process_time() - started < 5
