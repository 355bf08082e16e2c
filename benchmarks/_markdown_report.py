"""The tables: plain Markdown, for the terminal and for the documentation alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from _markdown_defects import Defects, total
from _markdown_measure import LARGEST, Sample, Samples, Speeds
from _markdown_shapes import FACTORS, MAIN, SHAPES
from _markdown_tools import LANGCHAIN, OUTCROP, SEMANTIC, TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

START = "<!-- markdown benchmark: start, written by benchmarks/markdown.py -->"
END = "<!-- markdown benchmark: end -->"

# The bounds this project holds itself to: (limit, peer, least ratio).
LEAST_RATIOS = ((1000, SEMANTIC, 3.0), (1000, LANGCHAIN, 1.5), (4000, SEMANTIC, 1.5))
# At 16 MB, 0.7 of the speed at 1 MB.
MOST_GROWTH = 22.9
MOST_MEMORY = 12.0

_NOTHING = "–"


@dataclass(slots=True)
class Results:
    """Everything that was measured; parts that were not run are empty."""

    tools: Sequence[str]
    limits: Sequence[int]
    about: list[str] = field(default_factory=list)
    speeds: Speeds = field(default_factory=dict)
    samples: Samples = field(default_factory=dict)
    hostile: Samples = field(default_factory=dict)
    defects: Defects = field(default_factory=dict)

    def ratio(self, peer: str, limit: int) -> float | None:
        """How many times as fast as a peer Outcrop is."""
        own, other = self.speeds.get((OUTCROP, limit)), self.speeds.get((peer, limit))
        if own is None or other is None:
            return None
        return own.megabytes_per_second / other.megabytes_per_second

    def growth(self, tool: str, shape: str) -> float | None:
        """Time for the largest document over the time for the smallest."""
        samples = self.hostile if shape not in _MAIN_NAMES else self.samples
        small = samples.get((tool, shape, FACTORS[0]), Sample()).seconds
        large = samples.get((tool, shape, LARGEST), Sample()).seconds
        return large / small if small and large else None

    def memory(self, tool: str, shape: str) -> float | None:
        """Peak growth over the size of the largest document."""
        samples = self.hostile if shape not in _MAIN_NAMES else self.samples
        return samples.get((tool, shape, LARGEST), Sample()).memory


_MAIN_NAMES = frozenset(shape.name for shape in MAIN)


def render(results: Results) -> str:
    """All tables of what was measured."""
    parts = ["\n".join(f"- {line}" for line in results.about)]
    if results.speeds or results.samples or results.defects:
        parts.append(table(*_summary(results)))
    verdicts = list(_verdicts(results))
    if verdicts:
        parts.append("### Bounds")
        parts.append(table(["what", "bound", "reached", "kept"], verdicts))
    for limit in results.limits:
        if any(key[1] == limit for key in results.defects):
            parts.append(f"### Defects at {limit} characters")
            parts.append(table(*_defects(results, limit)))
    if results.samples:
        parts.append("### Growth and memory")
        parts.append(table(*_samples(results.samples)))
    if results.hostile:
        parts.append("### Hostile documents")
        parts.append(table(*_samples(results.hostile)))
    return "\n\n".join(parts) + "\n"


def insert(page: str, section: str, marks: tuple[str, str] = (START, END)) -> str:
    """Put a section between its marks in a page, or at its end where it has none."""
    block = f"{marks[0]}\n\n{section.strip()}\n\n{marks[1]}"
    start, end = page.find(marks[0]), page.find(marks[1])
    if 0 <= start < end:
        return page[:start] + block + page[end + len(marks[1]) :]
    return f"{page.rstrip()}\n\n{block}\n".lstrip()


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _summary(results: Results) -> tuple[list[str], list[list[str]]]:
    head = ["tool"]
    for limit in results.limits:
        head += [f"MB/s at {limit}", "Outcrop is"]
    head += [f"defects at {limit}" for limit in results.limits]
    head += ["worst growth, 16 MB / 1 MB", "worst peak memory / document"]
    rows = []
    for tool in results.tools:
        row = [TOOLS[tool].title]
        for limit in results.limits:
            speed = results.speeds.get((tool, limit))
            row.append(f"{speed.megabytes_per_second:.1f}" if speed else _NOTHING)
            row.append(_times(results.ratio(tool, limit)))
        for limit in results.limits:
            found = results.defects.get((tool, limit))
            row.append(str(total(found)) if found else _NOTHING)
        row.append(_worst(results, tool, "growth"))
        row.append(_worst(results, tool, "memory"))
        rows.append(row)
    return head, rows


def _worst(results: Results, tool: str, what: str) -> str:
    of = results.growth if what == "growth" else results.memory
    failed = [key for key, s in results.samples.items() if key[0] == tool and s.failure]
    if failed:
        return f"no result for {', '.join(sorted({key[1] for key in failed}))}"
    found = [value for shape in MAIN if (value := of(tool, shape.name)) is not None]
    return _times(max(found, default=None))


def _verdicts(results: Results) -> Iterator[list[str]]:
    for limit, peer, least in LEAST_RATIOS:
        ratio = results.ratio(peer, limit)
        if ratio is not None:
            what = f"speed at {limit} over {TOOLS[peer].title}"
            yield [what, f"≥ {least}", f"{ratio:.2f}", _kept(ratio >= least)]
    for shape in MAIN:
        growth = results.growth(OUTCROP, shape.name)
        if growth is not None:
            what = f"time at 16 MB / 1 MB, {shape.name}"
            yield [
                what,
                f"≤ {MOST_GROWTH}",
                f"{growth:.1f}",
                _kept(growth <= MOST_GROWTH),
            ]
    for shape in MAIN:
        memory = results.memory(OUTCROP, shape.name)
        if memory is not None:
            what = f"peak memory / document, {shape.name}"
            yield [what, "≤ 12", f"{memory:.1f}", _kept(memory <= MOST_MEMORY)]


def _kept(is_kept: bool) -> str:  # noqa: FBT001 - one value, one word
    return "yes" if is_kept else "**no**"


def _times(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:.2f}×"


def _defects(results: Results, limit: int) -> tuple[list[str], list[list[str]]]:
    head = [
        "tool",
        "chunks",
        "fences cut: fit / oversize",
        "fence markers cut off",
        "chunks with unclosed fence",
        "tables cut: fit / oversize",
        "row chunks without header",
        "dangling headings: body / any",
        "over limit, not atomic",
        "tiny (< 5 %)",
        "visible text lost %",
        "repeated %",
        "offsets wrong",
        "lines wrong (cut inside a line)",
        "path wrong (no heading)",
        "crashes",
    ]
    rows = []
    for tool in results.tools:
        found = results.defects.get((tool, limit))
        if found:
            rows.append([TOOLS[tool].title, *_defect_cells(found)])
    return head, rows


def _defect_cells(found: dict[str, Any]) -> list[str]:
    return [
        f"{found['chunks']}",
        f"{found['fence_split_fit']} / {found['fence_split_over']}",
        f"{found['fence_marker_cut']}",
        f"{found['unbalanced']}",
        f"{found['table_split_fit']} / {found['table_split_over']}",
        f"{found['rows_no_header']}",
        f"{found['dangling']} / {found['dangling_any']}",
        f"{found['over_unjustified']}",
        f"{found['tiny']}",
        f"{100 - 100 * found['run_found'] / max(1, found['run_chars']):.3f}",
        f"{100 * (found['emitted'] / max(1, found['covered']) - 1):.2f}",
        _of(found, "off_wrong", "off_claimed"),
        f"{_of(found, 'line_wrong', 'line_claimed')} ({found['line_inside']})",
        f"{_of(found, 'path_wrong', 'path_claimed')} ({found['path_phantom']})",
        f"{found['crashes']}",
    ]


def _of(found: dict[str, Any], wrong: str, claimed: str) -> str:
    return f"{found[wrong]} of {found[claimed]}" if found[claimed] else "none given"


def _samples(samples: Samples) -> tuple[list[str], list[list[str]]]:
    head = ["document", "tool", "size", "chunks", "CPU s at 1/16, 1/4, whole"]
    head += ["growth", "peak memory / document"]
    rows = []
    for tool, shape, factor in samples:
        if factor != LARGEST:
            continue
        series = [samples.get((tool, shape, f), Sample()) for f in FACTORS]
        last = series[-1]
        known = [s.seconds for s in series]
        growth = known[-1] / known[0] if known[-1] and known[0] else None
        rows.append(
            [
                SHAPES[shape].title,
                TOOLS[tool].title,
                f"{last.size / 1e6:.1f} MB" if last.size else _NOTHING,
                str(last.chunks) if last.size else last.failure,
                " / ".join(_NOTHING if s is None else f"{s:.3f}" for s in known),
                _times(growth),
                _times(last.memory),
            ]
        )
    return head, rows
