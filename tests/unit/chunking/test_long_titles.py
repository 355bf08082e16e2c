"""Long titles over many sections cost what the document costs, no more."""

from __future__ import annotations

import tracemalloc

import pytest

from outcrop import ChunkConfig, IndexingConfig, MarkdownChunker, MarkdownSplitter
from outcrop.markdown.document import MAX_TITLE_CHARS

SECTION = "\n\n## s\n\nx\n"
DEEP_SECTION = "\n\n###### s\n\nx\n"


def _one_title(size: int) -> str:
    half = size // 2
    return "# " + "t" * half + SECTION * (half // len(SECTION))


def _five_titles(size: int) -> str:
    half = size // 2
    titles = "".join(f"{'#' * level} {'t' * (half // 5)}\n\n" for level in range(1, 6))
    return titles + DEEP_SECTION * (half // len(DEEP_SECTION))


SHAPES = {"one title": _one_title, "five titles": _five_titles}
CUTS = {
    "chunk": lambda text: MarkdownChunker(
        ChunkConfig(max_chunk_size=50, min_chunk_size=1)
    ).chunk(text),
    "tree": lambda text: MarkdownChunker().chunk_hierarchical(text).chunks,
    "sections": lambda text: MarkdownSplitter(IndexingConfig(10**9, max_depth=6)).split(
        text, "a.md", ""
    ),
}


def _peak(cut, text: str) -> int:
    tracemalloc.start()
    cut(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_memory_grows_with_the_document(shape, cut):
    make = SHAPES[shape]
    CUTS[cut](make(1000))  # what is loaded once is not counted
    small, large = (_peak(CUTS[cut], make(size)) for size in (12_500, 50_000))
    assert large <= 4 * 1.25 * small
    assert large <= 600 * 50_000


@pytest.mark.parametrize("cut", ["chunk", "tree"])
def test_every_path_is_bounded(cut):
    for chunk in CUTS[cut](_five_titles(50_000)):
        metadata = chunk.metadata
        titles = [*metadata["headers"], *metadata["section_tags"]]
        assert all(len(title) <= MAX_TITLE_CHARS for title in titles)
        assert len(metadata["header_path"]) <= 6 * (1 + MAX_TITLE_CHARS)


def test_paths_of_one_document_share_their_titles():
    tree = MarkdownChunker().chunk_hierarchical(_one_title(5000))
    titles = {id(leaf.metadata["headers"][0]) for leaf in tree.get_flat_chunks()}
    assert len(titles) == 1


def test_a_title_of_300_characters_is_kept_whole():
    title = "t" * 300
    chunk = MarkdownChunker().chunk(f"# {title}\n\nx\n\n## a\n\n{'word ' * 1000}\n")[-1]
    assert chunk.metadata["headers"] == [title, "a"]
    assert chunk.metadata["header_path"] == f"/{title}/a"


def test_sections_under_long_titles_keep_the_whole_title_and_ids_of_their_own():
    text = f"# {'t' * 1000}a\n\n## s\n\n# {'t' * 1000}b\n\n## s\n"
    sections = MarkdownSplitter().split(text, "a.md", "")
    assert [len(section.heading) for section in sections] == [1001, 1, 1001, 1]
    assert len({section.id for section in sections}) == 4


class Recorded(str):
    """A text that counts the characters that are copied from it."""

    __slots__ = ("copied",)

    def __getitem__(self, key):
        found = super().__getitem__(key)
        self.copied = getattr(self, "copied", 0) + len(found)
        return found


def test_a_heading_cut_into_parts_is_not_copied_for_each_of_them():
    copied = []
    for count in (1000, 8000):
        text = Recorded("# " + "word " * count)
        MarkdownChunker(ChunkConfig(max_chunk_size=20)).chunk(text)
        copied.append(text.copied)
    assert copied[1] <= 8 * 1.25 * copied[0]
