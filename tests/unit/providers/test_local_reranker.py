"""The bundled reranker."""

import sys
import time
from pathlib import Path

import pytest

from outcrop.errors import ConfigError, MissingExtraError, RerankError
from outcrop.providers import local_embedder, local_reranker, open_reranker
from outcrop.providers.local_reranker import LocalReranker
from outcrop.providers.reranker import Reranker, code_weight, document_weight

np = pytest.importorskip("numpy")

READ = """\
def load_settings(path):
    with open(path) as file:
        return tomllib.loads(file.read())
"""
RETRY = """\
def call_again(request, attempts):
    for attempt in range(attempts):
        try:
            return send(request)
        except ConnectionError:
            time.sleep(2**attempt)
"""
SUM = """\
def total(rows):
    return sum(row.price * row.count for row in rows)
"""
QUESTIONS = {
    "read the configuration from a file": READ,
    "wait longer after each failed attempt": RETRY,
    "how much all items cost together": SUM,
}
SECTIONS = {
    "Unless told otherwise, a backup is kept for a week before it is removed.": (
        "docs/backup.md > Backups > Retention\n## Retention\n\nOld archives are deleted"
        " after seven days. Set `keep_days` to keep them longer."
    ),
    "which rights does a user need to publish?": (
        "docs/roles.md > Roles > Permissions\n## Permissions\n\nA member needs the role"
        " of an editor to release pages. An owner assigns it in the settings."
    ),
    "Wie ändere ich das Passwort eines Benutzers?": (
        "docs/konto.md > Konto > Zugang\n## Zugang\n\nEin neues Kennwort wird im Profil"
        " gesetzt; die Sitzungen der Person enden danach."
    ),
    "ログファイルの保存先を変更する": (
        "docs/log.md > 設定 > ログ\n## ログ\n\nログは既定では /var/log に書き込まれます。"
        "出力先のディレクトリは設定ファイルで指定できます。"
    ),
}
# Longer than what the network reads of a text.
LONG_CODE = "\n".join(f"value_{at} = compute(left_{at}, right)" for at in range(60))


@pytest.fixture
def nothing_loaded():
    local_reranker._load_network.cache_clear()
    local_embedder.load_token_table.cache_clear()
    yield
    local_reranker._load_network.cache_clear()
    local_embedder.load_token_table.cache_clear()


def test_it_is_opened_by_name():
    reranker = open_reranker("local")
    assert isinstance(reranker, LocalReranker)
    assert isinstance(reranker, Reranker)
    assert code_weight(reranker) > 0
    assert document_weight(reranker) > 0
    assert document_weight(open_reranker("local:documents")) > 0
    code_alone = open_reranker("local:code")
    assert code_weight(code_alone) > 0
    assert document_weight(code_alone) == 0


def test_a_model_of_its_own_is_refused():
    with pytest.raises(ConfigError, match="'local:big', but it is local or local:code"):
        open_reranker("local:big")


@pytest.mark.parametrize(("question", "answer"), QUESTIONS.items())
def test_code_that_answers_scores_highest_without_a_common_word(question, answer):
    texts = list(QUESTIONS.values())
    scores = LocalReranker().score(question, texts)
    assert texts[int(np.argmax(scores))] == answer


@pytest.mark.parametrize(("question", "answer"), SECTIONS.items())
def test_the_section_that_answers_scores_highest(question, answer):
    texts = list(SECTIONS.values())
    scores = LocalReranker().score(question, texts)
    assert texts[int(np.argmax(scores))] == answer


def test_scores_are_the_same_in_every_run_and_every_company():
    reranker = LocalReranker()
    texts = [*QUESTIONS.values(), LONG_CODE, "x"]
    together = reranker.score("sum of prices", texts)
    assert together == reranker.score("sum of prices", texts)
    alone = [reranker.score("sum of prices", [text])[0] for text in texts]
    assert np.allclose(together, alone, atol=1e-3)


def test_the_part_of_a_long_text_that_the_question_is_about_is_read():
    question = "wait longer after a failed attempt with ConnectionError"
    filler = LONG_CODE + "\n" + LONG_CODE
    with_answer, without = LocalReranker().score(
        question, [f"{filler}\n{RETRY}", f"{filler}\n{SUM}"]
    )
    assert with_answer > without + 0.5


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "()[]",
        "\ud800",
        "\0",
        "日本語のテキスト",
        "é" * 9000,
        "a b " * 50_000,
    ],
)
def test_any_text_has_a_score(text):
    reranker = LocalReranker()
    assert np.isfinite(reranker.score("read a file", [text, READ])).all()
    assert np.isfinite(reranker.score(text, [READ, text])).all()
    assert len(reranker.score(text, [text])) == 1


def test_text_without_words_is_never_the_best():
    scores = LocalReranker().score("read a file", ["()", SUM, READ])
    assert scores[0] == min(scores)


def test_no_texts_have_no_scores():
    assert LocalReranker().score("read a file", []) == []


def test_thirty_pieces_of_code_are_scored_within_a_moment():
    """About 40 ms of an idle core; the bound leaves room for a busy machine."""
    reranker = LocalReranker()
    texts = [f"{RETRY}\n{at}\n{LONG_CODE}" for at in range(30)]
    reranker.score("retry", texts)
    started = time.process_time()
    reranker.score("wait longer after each failed attempt", texts)
    assert time.process_time() - started < 1.0


def test_the_bundled_file_is_small():
    assert (local_embedder.FOLDER / "reranker.npz").stat().st_size < 6 * 2**20


@pytest.mark.usefixtures("nothing_loaded")
def test_missing_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(MissingExtraError, match=r"outcrop\[embed\]"):
        LocalReranker().score("question", ["text"])


@pytest.mark.usefixtures("nothing_loaded")
def test_a_missing_file_is_named(monkeypatch, tmp_path: Path):
    monkeypatch.setattr(local_reranker, "FOLDER", tmp_path)
    with pytest.raises(RerankError, match=r"reranker\.npz.* install outcrop again"):
        LocalReranker().score("question", ["text"])


def _change(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


@pytest.mark.usefixtures("nothing_loaded")
@pytest.mark.parametrize(
    "damage",
    [lambda _: b"", lambda data: data[:-100], lambda _: b"PK\x03\x04" * 9, _change],
    ids=["empty", "cut off", "not an archive", "one bit"],
)
def test_a_damaged_file_is_named(monkeypatch, tmp_path: Path, damage):
    data = (local_embedder.FOLDER / "reranker.npz").read_bytes()
    (tmp_path / "reranker.npz").write_bytes(damage(data))
    monkeypatch.setattr(local_reranker, "FOLDER", tmp_path)
    with pytest.raises(RerankError, match=r"reranker\.npz.* install outcrop again"):
        LocalReranker().score("question", ["text"])
