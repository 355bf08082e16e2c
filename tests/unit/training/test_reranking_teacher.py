"""The teacher of the reranker: its pieces, its scores, and the way back from a file."""

import sys

import pytest

np = pytest.importorskip("numpy")

from training.reranking.export import Trained, export  # noqa: E402 - numpy
from training.reranking.pretrained import (  # noqa: E402 - numpy
    WordPieces,
    convert,
    token_texts,
)
from training.reranking.restore import restore  # noqa: E402 - numpy

from outcrop.providers.local_embedder import FOLDER, load_token_table  # noqa: E402 - numpy
from outcrop.providers.reranker_network import RerankerNetwork  # noqa: E402 - numpy
from outcrop.providers.reranker_weights import RerankerWeights  # noqa: E402 - numpy
from unit.training.lists import write_documents  # noqa: E402 - numpy

NAMES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "read", "##er", "##s", "a", "file", "手"]
WIDTH = 24  # two numbers for each of the 12 heads


def test_words_are_cut_into_the_longest_pieces():
    words = WordPieces(NAMES)
    assert words.of("readers") == [4, 5, 6]
    assert words.of("á手a") == [7, 9, 7]
    assert words.of("reads手x") == [4, 6, 9, 1]


def test_tokens_have_the_text_that_they_stand_for():
    table = load_token_table()
    texts = token_texts(np.load(FOLDER / "merges.npy"))
    for word in ("unstructured", "zeitüberschreitung", "設定"):
        assert "".join(texts[token] for token in table.tokens.of(word)) == word


def tensors():
    random = np.random.default_rng(1)
    shapes = {
        "embeddings.word_embeddings.weight": (len(NAMES), WIDTH),
        "embeddings.position_embeddings.weight": (300, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    layers = {
        "attention.self.query": (WIDTH, WIDTH),
        "attention.self.key": (WIDTH, WIDTH),
        "attention.self.value": (WIDTH, WIDTH),
        "attention.output.dense": (WIDTH, WIDTH),
        "intermediate.dense": (2 * WIDTH, WIDTH),
        "output.dense": (WIDTH, 2 * WIDTH),
    }
    for name, shape in layers.items():
        shapes[f"encoder.layer.0.{name}.weight"] = shape
        shapes[f"encoder.layer.0.{name}.bias"] = shape[:1]
    for name in (
        "embeddings",
        *(f"encoder.layer.0.{n}" for n in ("attention.output", "output")),
    ):
        shapes[f"{name}.LayerNorm.weight"] = shapes[f"{name}.LayerNorm.bias"] = (WIDTH,)
    return {
        name: random.normal(size=shape).astype(np.float32)
        for name, shape in shapes.items()
    }


@pytest.fixture
def pretrained(tmp_path):
    file = tmp_path / "pretrained.npz"
    np.savez(file, **convert(tensors(), NAMES, np.load(FOLDER / "merges.npy")))
    return file


def test_a_teacher_reads_each_passage_alone(pretrained):
    torch = pytest.importorskip("torch")
    from training.reranking.data import PAD
    from training.reranking.teacher import Teacher

    torch.manual_seed(1)
    teacher = Teacher(pretrained, layers=1)
    tokens = load_token_table().tokens
    passages = torch.full((1, 3, 12), PAD)
    for at, text in enumerate(("reads a file", "a", "a file file file reads")):
        ids = [*tokens.of(text)]
        passages[0, at, : len(ids)] = torch.tensor(ids)
    query = torch.tensor([[*tokens.of("file reader")]])
    wide = torch.cat([query, torch.full((1, 5), PAD)], 1)
    with torch.no_grad():
        together = teacher(query, passages)[0]
        apart = [teacher(wide, passages[:, at : at + 1])[0, 0] for at in range(3)]
    assert torch.allclose(together, torch.stack(apart), atol=1e-5)
    assert len(set(together.tolist())) == 3


def test_a_network_learns_from_the_scores_of_a_teacher(
    tmp_path, pretrained, monkeypatch
):
    torch = pytest.importorskip("torch")
    from training.reranking import score, train

    data = write_documents(tmp_path, monkeypatch)
    monkeypatch.setattr(train.Teacher.__init__, "__defaults__", (1,))
    given = [str(data), "--rows", str(FOLDER), "--batch", "8"]
    given += ["--lists", str(tmp_path / "lists")]

    def run(main, *arguments):
        monkeypatch.setattr(sys, "argv", ["", *given, *map(str, arguments)])
        main()

    taught = ("--teacher", pretrained, "--seconds", 1)
    run(train.main, *taught, "--out", tmp_path / "teacher")
    start = tmp_path / "teacher/reranker.npz"
    scores = tmp_path / "scores.npy"
    run(score.main, *taught, "--start", start, "--out", scores)
    lists = torch.load(tmp_path / "lists")
    assert np.load(scores).shape == (len(lists[0]), score.SCORED)
    assert not (np.load(scores)[:, 0] == score.CERTAIN).any()
    run(train.main, "--scores", scores, "--seconds", 1, "--out", tmp_path / "out")
    assert (tmp_path / "out/reranker.npz").exists()


def test_training_can_go_on_from_the_file_of_the_package(tmp_path):
    with np.load(FOLDER / "reranker.npz") as file:
        shipped = dict(file)
    np.savez(tmp_path / "trained.npz", **restore(shipped))
    again = export(Trained(tmp_path / "trained.npz"), float(shipped["mean_strength"]))
    table = load_token_table()
    texts = ("def read(file):", "x = 1 + yy", "Read a file from a path, or its lines.")
    passages = [[*table.tokens.of(text)] for text in texts]
    query = [*table.tokens.of("read a file")]
    before, after = (
        RerankerNetwork(RerankerWeights(arrays, table)).score(query, passages)
        for arrays in (shipped, again)
    )
    assert np.allclose(before, after, atol=0.3)
    assert {name: array.shape for name, array in again.items()} == {
        name: array.shape for name, array in shipped.items()
    }


def test_the_mean_of_networks_is_exported(tmp_path):
    for name, value in (("one", 1.0), ("two", 3.0)):
        array = np.full(2, value, np.float16)
        np.savez(tmp_path / f"{name}.npz", **{"network.first": array, "beside": array})
    files = (tmp_path / "one.npz", tmp_path / "two.npz")
    mean = Trained(*files, shares=(0.25, 0.75))
    assert mean["first"].tolist() == mean["beside"].tolist() == [2.5, 2.5]
