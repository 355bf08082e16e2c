"""Training of the reranker: its lists, and that the package computes the same."""

import gzip
import json
import lzma
import random
import sys
import zipfile

import pytest

np = pytest.importorskip("numpy")

from training.reranking import encode  # noqa: E402 - numpy
from training.reranking.documents import (  # noqa: E402 - numpy
    Documents,
    read_documents,
)
from training.reranking.kinds import (  # noqa: E402 - numpy
    COMMENT,
    DOCSTRING,
    HEADING,
    KEYWORDS,
    KINDS,
    LINK,
    NAME,
    POOLS,
    SECTION,
    TITLE,
)
from training.sections import read_markdown  # noqa: E402 - numpy

from outcrop.providers.local_embedder import FOLDER, load_token_table  # noqa: E402 - numpy
from unit.training.lists import write_documents  # noqa: E402 - numpy


def pairs(kind, count):
    return [
        (kind, f"query {at}".encode(), f"passage {at}".encode()) for at in range(count)
    ]


def test_kinds_with_few_passages_are_left_out_and_large_ones_are_thinned():
    given = pairs(DOCSTRING, 40) + pairs(NAME, 600) + pairs(COMMENT, 10)
    drawn = encode.draw(given, random.Random(1))  # noqa: S311 - a test
    kinds = [kind for kind, _, _ in drawn]
    assert kinds.count(DOCSTRING) == 40
    assert kinds.count(NAME) == encode.MAX_PAIRS[POOLS[NAME]]
    assert kinds.count(COMMENT) == 0


def test_texts_are_written_once_and_named_packages_are_left_out(
    tmp_path, monkeypatch, capsys
):
    rows = [
        [
            package,
            kind,
            f"reads value number {at} of the file",
            f"value = read({at}, x, y); return value",
        ]
        for package in ("kept", "barred")
        for at in range(30)
        for kind in ("docstring", "docstring_body", "heading")
    ]
    with gzip.open(tmp_path / "pairs.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "without.txt").write_text("barred\n")
    command = f"encode {tmp_path}/pairs.jsonl.gz --rows {FOLDER} --out {tmp_path}/data"
    arguments = f"{command} --without {tmp_path}/without.txt".split()
    monkeypatch.setattr(sys, "argv", arguments)
    encode.main()
    assert capsys.readouterr().out == "30 pairs of 1 packages\n"
    about = json.loads((tmp_path / "data/names.json").read_text())
    assert (about["packages"], about["texts"]) == (["kept"], 60)
    raw = lzma.decompress((tmp_path / "data/pairs.xz").read_bytes())
    assert len(raw) == 60 + 30 * 5 * 4


INSTALL = """\
# Guide

## Install

Download the archive and unpack it where programs are kept on your machine. It needs no
other library and no server that runs beside it. The folder has a script that starts it
without any further steps. After the first start it asks for the folder of your projects.

## Limits

Each worker may use a gigabyte, unless [the settings](settings.md#memory) say otherwise.
A worker that needs more is stopped, and its job goes back to the queue after a minute.
"""
SETTINGS = """\
# Settings

## Memory

The key `max_memory` bounds what one worker takes; it is a number of megabytes.

## Log

- [Where the log is written and how it is kept](settings.md#log)

Lines of the log are written to a file in the folder of the project, one for each day.
"""
LINKING = "Each worker may use a gigabyte, unless the settings say otherwise."


def documents():
    found = Documents("package")
    found.add("docs/guide.md", read_markdown(INSTALL))
    found.add("docs/settings.md", read_markdown(SETTINGS))
    return list(found.pairs())


def test_a_sentence_with_a_link_asks_for_the_section_it_leads_to():
    links = [pair for pair in documents() if pair.kind == "section_link"]
    assert [pair.query for pair in links] == [LINKING]
    assert links[0].passage.startswith("The key `max_memory` bounds")


def test_what_asks_is_cut_out_of_the_sections():
    pairs = documents()
    sections = {pair.passage for pair in pairs if pair.kind == "section"}
    asked = [pair for pair in pairs if pair.kind != "section"]
    assert {pair.kind for pair in asked} == {"section_link", "section_sentence"}
    assert all(pair.passage in sections for pair in asked)
    assert not any(pair.query in text for pair in asked for text in sections)


def test_pages_in_other_languages_are_packages_of_their_own(tmp_path):
    text = "# Speicher\n\n" + "Ein Prozess hat genug Speicher für seine Arbeit. " * 3
    with zipfile.ZipFile(tmp_path / "tool-1.0.whl", "w") as archive:
        archive.writestr("tool-1.0.dist-info/METADATA", "Name: tool\nLicense: MIT\n\n")
        archive.writestr("docs/de/speicher.md", text)
        archive.writestr("docs/guide.md", INSTALL)
    pairs = read_documents(tmp_path / "tool-1.0.whl").pairs
    names = {pair.query for pair in pairs if pair.kind == "package"}
    assert names == {"tool", "tool.de"}


def test_some_sections_are_asked_for_by_their_headings_or_by_words_of_theirs():
    tokens = load_token_table().tokens
    text = "The queue keeps every message until a worker has read and confirmed it."
    chance = random.Random(1)  # noqa: S311 - a test
    asked = [
        query
        for _ in range(200)
        for query in encode._queries(SECTION, "Guide > Queue > Messages", text, chance)
    ]
    assert {kind for kind, _ in asked} == {SECTION, HEADING, TITLE, KEYWORDS}
    assert {q for kind, q in asked if kind == TITLE} == {"Messages", "Queue Messages"}
    words = {tuple(q.split()) for kind, q in asked if kind == KEYWORDS}
    assert all(3 <= len(w) <= 6 and set(w) < set(text.split()) for w in words)
    assert all([*tokens.of(" ".join(w))] for w in words)


def test_lists_show_headings_except_where_a_heading_is_asked_for(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    from training.reranking.data import Corpus
    from training.reranking.mine import LISTED, mine

    corpus = Corpus([write_documents(tmp_path, monkeypatch)], torch.device("cpu"))
    table = load_token_table()
    rows = torch.from_numpy(table.rows * table.scales[:, None])
    lists = mine(corpus, rows)
    kinds = corpus.pairs[lists.pair, 2]
    assert {KINDS[kind] for kind in kinds.tolist()} >= {"section_link", "section_title"}
    assert SECTION not in kinds
    assert lists.passages.shape[1] == LISTED
    assert torch.equal(lists.passages[:, 0], corpus.pairs[lists.pair, 1])
    guide = next(table.tokens.of("Guide"))
    _, shown = corpus.lists(lists.pair, lists.passages)
    has_heading = (shown == guide).any(2).all(1)
    assert torch.equal(has_heading, kinds != HEADING)
    assert (kinds == LINK).sum() == 40


def test_the_package_computes_what_was_trained(tmp_path):
    torch = pytest.importorskip("torch")
    from training.reranking.data import PAD
    from training.reranking.export import Trained, export
    from training.reranking.model import Reranker, Shape

    from outcrop.providers.reranker_network import RerankerNetwork
    from outcrop.providers.reranker_weights import RerankerWeights

    table = load_token_table()
    rows = torch.from_numpy(table.rows * table.scales[:, None])
    torch.manual_seed(1)
    model = Reranker(rows, Shape(learned=200))
    model.network.tokens.direction = model.network.tokens.direction.float()
    state = {name: value.numpy() for name, value in model.state_dict().items()}
    np.savez(tmp_path / "trained.npz", **state)
    strength = float(rows.norm(dim=1).mean())
    exported = export(Trained(tmp_path / "trained.npz"), strength)
    network = RerankerNetwork(RerankerWeights(exported, table))
    query = [*table.tokens.of("read a file")]
    passages = [[*table.tokens.of("def read(file):")], [*table.tokens.of("x = 1 + yy")]]
    padded = torch.full((1, 2, 20), PAD)
    for at, passage in enumerate(passages):
        padded[0, at, : len(passage)] = torch.tensor(passage)
    with torch.no_grad():
        expected = model(torch.tensor([query]), padded)[0].numpy()
    assert np.allclose(network.score(query, passages), expected, atol=0.1)
