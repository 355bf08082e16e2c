"""Programs cut and changed anywhere, in eight languages, and what must hold of them.

The readers of code get whatever is on a disk: half a file, a merge gone wrong, bytes in
another encoding. A graph comes out all the same, every place in it lies inside its
file, and the planned chunks hold the file to the letter.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from fuzz.mutate import CHANGES, Mutator, lines_of
from outcrop.codegraph import build
from outcrop.codegraph.languages import language_of
from outcrop.planning.strategies import AdaptiveChunkStrategy, SourceText
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

    from outcrop.codegraph import Graph
    from outcrop.model.node import Node
    from outcrop.planning.plans import ChunkPlan

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "integration" / "codegraph" / "cases"
_PIECES = (
    "{", "}", "(", ")", "[", "]", "<", ">", ";", ",", ":", "=>", "->", "::", '"', "'", "`",
    '"""', "/*", "*/", "//", "#", "@", "\\", "class ", "def ", "fn ", "func ", "fun ",
    "interface ", "enum ", "import ", "package ", "namespace ", "return ", "async ",
    "lambda x: ", "self.", "this.", "super().", "new ", "impl ", "trait ", "struct ",
    "extends ", "#if X\n", "#endif\n", "é", "中", "🐎", "\x0c", "\r\n", "\r", "\t", "${", "<%",
    "((((((((", "{{{{{{{{", "[[[[[[[[", "!!!!!!!!", "a.b.c.d()", "x = x(x)\n", "async def ",
)  # fmt: skip
_MAX_OWN = 3000  # bytes of our own modules: small ones, to try many
_LIMITS = (16, 20, 40, 100, 400)


def _insert_piece(text: str, random: Random) -> str:
    at = random.randint(0, len(text))
    return text[:at] + random.choice(_PIECES) * random.choice((1, 1, 1, 30)) + text[at:]


class CodeMaker:
    """Makes programs out of those that the tests of the code graph have, and our own.

    Args:
        random: The source of randomness.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        self._programs = _programs()
        changes = (*CHANGES, *[_insert_piece] * 6)
        self._mutators = {
            lang: Mutator(
                [lines_of(text) for files in programs for text in files.values()],
                random,
                changes,
            )
            for lang, programs in self._programs.items()
        }

    def program(self) -> tuple[dict[str, str], dict[str, Any]]:
        """Return the files of a program, a character for a byte, and the settings."""
        random = self._random
        lang = random.choice(list(self._programs))
        mutator = self._mutators[lang]
        files = dict(random.choice(self._programs[lang]))
        for name, text in files.items():
            if random.random() < 0.5:
                files[name] = mutator.document()
            elif random.random() < 0.8:
                files[name] = mutator.change(text)
        settings = {
            "limit": random.choice(_LIMITS),
            "level": random.choice(("flow", "local")),
        }
        raw = {
            name: text.encode("utf-8", "surrogatepass").decode("latin-1")
            for name, text in files.items()
        }
        return raw, settings


def check_program(files: Mapping[str, str], settings: Mapping[str, Any]) -> None:
    """Assert that a program is read as far as it goes."""
    with TemporaryDirectory(prefix="outcrop-fuzz-") as folder:
        for name, text in files.items():
            Path(folder, name).write_bytes(text.encode("latin-1"))
        graph = build(folder, "app", level=settings["level"], workers=1)
    binary = sum("\0" in text for text in files.values())
    failed = [item for item in graph.report.failed if item.reason != "binary file"]
    assert not failed, f"not read: {failed}"
    assert graph.report.parsed == len(files) - binary
    _check_graph(graph)
    _check_plans(graph, settings["limit"])


def _check_graph(graph: Graph) -> None:
    ids = {node.id for node in graph.nodes}
    assert len(ids) == len(graph.nodes)
    for edge in graph.edges:
        assert edge.src in ids, f"unknown source of {edge}"
        assert edge.external == (edge.dst not in ids), f"unknown target of {edge}"
        assert 0 < edge.confidence <= 1
    for node in graph.nodes:
        if node.file_path is not None:
            _check_node(node, graph.facts[node.file_path].text)


def _check_node(node: Node, text: str) -> None:
    start, end = node.start_offset, node.end_offset
    assert start is not None
    assert end is not None
    assert 0 <= start <= end <= len(text), f"{node.fqn} is at {start} to {end}"
    assert node.source_code == text[start:end]
    assert node.line_start == text.count("\n", 0, start) + 1


def _check_plans(graph: Graph, limit: int) -> None:
    nodes: dict[str | None, list[Node]] = defaultdict(list)
    for node in graph.nodes:
        nodes[node.file_path].append(node)
    strategy = AdaptiveChunkStrategy(limit, _tokens())
    for path, facts in graph.facts.items():
        source = SourceText(path=path, lang=facts.lang, text=facts.text)
        _check_cover(facts.text, strategy.build_file(source, nodes[path], {}), limit)


def _check_cover(text: str, plans: Sequence[ChunkPlan], limit: int) -> None:
    """Assert that plans hold every visible character of a file once, in order."""
    end = 0
    for plan in plans:
        assert plan.span_chars is not None
        first, last = plan.span_chars
        assert end <= first < last, "chunks overlap or are out of order"
        assert not text[end:first].strip(), "text lost between chunks"
        end = last
        assert plan.text == text[first:last]
        size = _tokens()(f"{plan.prefix}{plan.text}{plan.suffix}")
        assert size <= limit or last - first == 1, f"{size} > {limit}"
        assert plan.span_lines is not None
        assert plan.span_lines[0] <= plan.span_lines[1]
    assert not text[end:].strip(), "text lost at the end"
    assert len({plan.id for plan in plans}) == len(plans)


@cache
def _tokens() -> TokenCounter:
    return TokenCounter()


def _programs() -> dict[str, list[dict[str, str]]]:
    """Return programs by language, each as texts by file name."""
    programs: dict[str, list[dict[str, str]]] = {}
    for folder in sorted(CASES.iterdir()):
        found: dict[Path, dict[str, str]] = defaultdict(dict)
        for path in sorted(folder.rglob("*")):
            if path.is_file() and language_of(path.name):
                found[path.parent][path.name] = path.read_text("utf-8")
        programs[folder.name] = list(found.values())
    for path in sorted((ROOT / "src").rglob("*.py")):
        if path.stat().st_size <= _MAX_OWN:
            programs["python"].append({path.name: path.read_text("utf-8")})
    return programs
