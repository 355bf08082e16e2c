"""Training of the reranker: what is drawn, and that the package computes the same."""

import gzip
import json
import lzma
import random
import sys

import pytest

np = pytest.importorskip("numpy")

from training.reranking import encode  # noqa: E402 - numpy
from training.reranking.kinds import COMMENT, DOCSTRING, NAME  # noqa: E402 - numpy

from outcrop.providers.token_table import FOLDER, load_token_table  # noqa: E402 - numpy


def pairs(kind, count):
    return [
        (kind, f"query {at}".encode(), f"passage {at}".encode()) for at in range(count)
    ]


def test_kinds_with_few_passages_are_left_out_and_large_ones_are_thinned():
    given = pairs(DOCSTRING, 40) + pairs(NAME, 600) + pairs(COMMENT, 10)
    drawn = encode.draw(given, random.Random(1))  # noqa: S311 - a test
    kinds = [kind for kind, _, _ in drawn]
    assert kinds.count(DOCSTRING) == 40
    assert kinds.count(NAME) == encode.MAX_PAIRS[NAME]
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


def test_the_package_computes_what_was_trained(tmp_path):
    torch = pytest.importorskip("torch")
    from training.reranking.data import PAD
    from training.reranking.export import Trained, export
    from training.reranking.model import Reranker, Shape

    from outcrop.providers.code_network import CodeNetwork

    table = load_token_table()
    rows = torch.from_numpy(table.rows * table.scales[:, None])
    torch.manual_seed(1)
    model = Reranker(rows, Shape(learned=200))
    model.network.tokens.direction = model.network.tokens.direction.float()
    state = {name: value.numpy() for name, value in model.state_dict().items()}
    np.savez(tmp_path / "trained.npz", **state)
    strength = float(rows.norm(dim=1).mean())
    network = CodeNetwork(export(Trained(tmp_path / "trained.npz"), strength), table)
    query = [*table.tokens.of("read a file")]
    passages = [[*table.tokens.of("def read(file):")], [*table.tokens.of("x = 1 + yy")]]
    padded = torch.full((1, 2, 20), PAD)
    for at, passage in enumerate(passages):
        padded[0, at, : len(passage)] = torch.tensor(passage)
    with torch.no_grad():
        expected = model(torch.tensor([query]), padded)[0].numpy()
    assert np.allclose(network.score(query, passages), expected, atol=0.02)
