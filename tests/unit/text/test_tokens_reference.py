"""Counts equal those of tiktoken, the reference, on every kind of text.

tiktoken wants to download its vocabularies; bpe-openai carries the same files. They
are laid out as tiktoken's cache, and tiktoken itself checks their hashes.
"""

import gzip
import hashlib
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop.text.tokens import ENCODINGS, TokenCounter

tiktoken = pytest.importorskip("tiktoken")
VOCABULARIES = find_spec("bpe_openai")
pytestmark = pytest.mark.skipif(VOCABULARIES is None, reason="needs bpe-openai")

ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"

TEXTS = {
    "russian": (
        "Разбиение документа: каждый заголовок остаётся со своим текстом. "
        "Ёжик, подъём, «кавычки» — и т. д.; 12,5 % случаев!\n"
    ),
    "japanese": (
        "見出しのない前文は文書全体として扱います。「トークン数」が上限を超える場合は、"
        "警告のみを出し、強制分割はしない。カタカナ・ひらがな・漢字、２０２６年。\n"
    ),
    "code": (
        "def f(x: int) -> list[str]:\n"
        '\t"""Docs."""\n'
        "    return [f'{i:>03}' for i in range(x) if not i % 2]  # noqa\n\n\n"
        "SELECT * FROM t WHERE a <> 'b' AND c >= 0x1F;\r\n"
        "const g = async ({ a, ...rest }) => await h?.(a ?? rest);\n"
    ),
    "emoji": "👍🏽 family: 👨‍👩‍👧‍👦, flags 🇯🇵🇷🇺, ❤️ vs ❤, 1️⃣, 🏴󠁧󠁢󠁳󠁣󠁴󠁿 and 🫠🫠🫠\n",
    "markdown": (
        "# Title {#id}\n\n| a | b |\n|---|:-:|\n| 1 | `x` |\n\n"
        "- [ ] task\n  1. nested\n\n$$\\int_0^1 x\\,dx$$\n\n<|endoftext|>\n"
    ),
    "others": "مرحبا بالعالم שלום עולם नमस्ते สวัสดี Xin chào 한국어 Ελληνικά ﷽ Å ½ ǅ\u00a0\u2028\u0000",
}

FRAGMENTS = [
    *TEXTS.values(),
    *" \n\t\r'.,_-#`|<>$",
    "'s",
    "'LL",
    "  ",
    "\r\n",
    "<|",
    "|>",
]


@pytest.fixture(scope="module")
def references(tmp_path_factory):
    """The encodings of tiktoken, by name."""
    folder = Path(next(iter(VOCABULARIES.submodule_search_locations))) / "data"
    cache = tmp_path_factory.mktemp("vocabularies")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(cache))
        for name in ENCODINGS:
            data = gzip.decompress((folder / f"{name}.tiktoken.gz").read_bytes())
            key = hashlib.sha1(ADDRESS.format(name).encode()).hexdigest()  # noqa: S324 - tiktoken's own file naming
            (cache / key).write_bytes(data)
        return {name: tiktoken.get_encoding(name) for name in ENCODINGS}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", TEXTS)
def test_count_equals_the_reference_on(kind, encoding, references):
    text = TEXTS[kind]
    counter, reference = TokenCounter(encoding), references[encoding]
    parts = [text, text * 40, *text.split(), *text, *text.splitlines(keepends=True)]
    expected = [len(reference.encode_ordinary(part)) for part in parts]
    assert expected == counter.count_batch(parts)


@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(max_examples=400, deadline=None)
@given(text=st.text(alphabet=st.characters(), max_size=60))
def test_count_equals_the_reference_on_any_text(text, encoding, references):
    expected = len(references[encoding].encode_ordinary(text))
    assert expected == TokenCounter(encoding)(text)


@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_count_equals_the_reference_on_any_cut_of_real_text(data, encoding, references):
    text = "".join(data.draw(st.lists(st.sampled_from(FRAGMENTS), max_size=8)))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    expected = len(references[encoding].encode_ordinary(text[start:end]))
    assert expected == TokenCounter(encoding)(text[start:end])
