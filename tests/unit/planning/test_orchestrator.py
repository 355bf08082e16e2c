from collections import Counter

import pytest

from outcrop.errors import ConfigError, StorageError
from outcrop.model.edge import Edge, EdgeKind
from outcrop.model.node import NodeKind
from outcrop.planning.orchestrator import ChunkBuildOrchestrator
from outcrop.planning.plans import ChunkBuildRequest
from outcrop.planning.protocols import SavedPlans
from outcrop.planning.strategies import PerNodeChunkStrategy
from unit.planning.nodes import make_node


class Memory:
    """Nodes, plans and runs in lists."""

    def __init__(self, nodes=(), edges=(), refuse=lambda plans: False):
        self.nodes = sorted(nodes, key=lambda node: node.id)
        self.edges = edges
        self.refuse = refuse
        self.reads = Counter()
        self.saved = []
        self.swept = []
        self.log = []

    def nodes_page(self, application_id, *, after="", limit=200, kinds=None):
        self.reads["nodes"] += 1
        found = [
            node
            for node in self.nodes
            if node.id > after and (kinds is None or node.kind in kinds)
        ]
        return found[:limit]

    def edges_from(self, ids, kinds=None):
        self.reads["edges"] += 1
        return [edge for edge in self.edges if edge.src in ids]

    def node_counts(self, application_id):
        return sorted(Counter(node.file_path for node in self.nodes).items())

    def nodes_in(self, application_id, paths):
        return [node for node in self.nodes if node.file_path in paths]

    def save_plan(self, plans, *, application_id, covered=None):
        if self.refuse(plans):
            raise StorageError("no room")
        self.saved.append((list(plans), covered))
        return SavedPlans(written=len(plans))

    def sweep(self, application_id, *, strategy):
        self.swept.append(strategy)
        return 0

    def create(self, request):
        self.log.append(("create", request.strategy))
        return 7

    def progress(self, run_id, result):
        self.log.append(("progress", result.processed_nodes))

    def note_errors(self, run_id, errors):
        self.log.append(("errors", list(errors)))

    def finish(self, run_id, result):
        self.log.append(("finish", result.processed_nodes))

    def fail(self, run_id, error):
        self.log.append(("fail", error))


def many(count, **fields):
    return [make_node(f"m.f{number:05}", **fields) for number in range(count)]


def start(memory, *, strategies=None, read_text=None, **fields):
    given = {} if strategies is None else {"strategies": strategies}
    build = ChunkBuildOrchestrator(memory, memory, memory, read_text=read_text, **given)
    return build.start(ChunkBuildRequest(application_id="app", **fields))


def test_all_nodes_are_planned_page_by_page():
    memory = Memory(many(450))

    result = start(memory)

    assert (result.processed_nodes, result.written_chunks, result.pages) == (
        450,
        450,
        3,
    )
    assert result.errors == 0
    assert memory.reads == {"nodes": 4, "edges": 3}
    assert memory.log[0] == ("create", "per-node")
    assert memory.log[-1] == ("finish", 450)


def test_plans_are_written_a_thousand_at_a_time():
    memory = Memory(many(2300))

    start(memory)

    assert [len(plans) for plans, _ in memory.saved] == [1000, 1000, 300]


def test_a_dry_run_counts_and_writes_nothing():
    memory = Memory(many(120))

    result = start(memory, dry_run=True)

    assert (result.skipped_chunks, result.written_chunks) == (120, 0)
    assert memory.saved == memory.swept == []


def test_no_more_nodes_are_planned_than_asked_for():
    memory = Memory(many(300))

    assert start(memory, limit_nodes=220).processed_nodes == 220
    assert start(memory, limit_nodes=0).processed_nodes == 0
    assert memory.swept == []


def test_only_the_kinds_asked_for_are_planned_and_unknown_ones_are_noted():
    nodes = [*many(3), make_node("m.C", kind=NodeKind.CLASS)]

    result = start(Memory(nodes), include_kinds=["class", "Widget"])

    assert result.processed_nodes == 1
    assert len(result.notes) == 1
    assert "WIDGET" in result.notes[0]
    assert "CLASS" in result.notes[0]


def test_without_any_known_kind_all_are_planned():
    assert start(Memory(many(3)), include_kinds=["widget"]).processed_nodes == 3


def test_an_unknown_strategy_is_refused_with_those_there_are():
    memory = Memory()

    with pytest.raises(ConfigError, match=r"'by-mood'.*per-node, adaptive"):
        start(memory, strategy="by-mood")
    assert memory.log == []


def test_edges_are_read_only_where_relations_are_wanted():
    nodes = many(2)
    edge = Edge(src=nodes[0].id, dst=nodes[1].id, kind=EdgeKind.CALLS)
    with_edges, without = Memory(nodes, [edge]), Memory(nodes, [edge])

    start(with_edges)
    start(without, with_edges_relations=False)

    assert [len(p.relations) for p in with_edges.saved[0][0]] == [1, 0]
    assert [len(p.relations) for p in without.saved[0][0]] == [0, 0]
    assert without.reads["edges"] == 0


class Fragile(PerNodeChunkStrategy):
    def build_chunks(self, node, edges):
        if node.name == "f00002":
            raise RuntimeError("cannot read this one")
        return super().build_chunks(node, edges)


def test_one_node_that_fails_is_skipped_and_counted():
    memory = Memory(many(5))

    result = start(memory, strategies={"per-node": Fragile})

    assert (result.processed_nodes, result.written_chunks, result.errors) == (5, 4, 1)
    assert (
        "errors",
        [("m.f00002", "RuntimeError: cannot read this one")],
    ) in memory.log
    assert memory.log[-1][0] == "finish"


def test_a_batch_that_cannot_be_written_is_counted_and_the_run_goes_on():
    memory = Memory(many(2300), refuse=lambda plans: plans[0].title == "m.f01000")

    result = start(memory)

    assert (result.written_chunks, result.errors) == (1300, 1000)
    assert memory.log[-1] == ("finish", 2300)


def test_a_graph_that_cannot_be_read_fails_the_run():
    class Broken(Memory):
        def nodes_page(self, *_, **__):
            raise StorageError("gone")

    memory = Broken()

    with pytest.raises(StorageError, match="gone"):
        start(memory)
    assert memory.log[-1] == ("fail", "StorageError: gone")


def test_adaptive_plans_whole_files_from_their_text():
    text = "import a\n\ndef one():\n    return a.b(1, 2)\n"
    start_at = text.index("def")
    node = make_node(
        "m.one",
        kind=NodeKind.FUNCTION,
        source_code=text[start_at:-1],
        start_offset=start_at,
        end_offset=len(text) - 1,
        file_path="m.py",
    )
    memory = Memory([node])

    result = start(memory, strategy="adaptive", read_text={"m.py": text}.get)

    ((plans, covered),) = memory.saved
    assert [plan.text for plan in plans] == [text.rstrip()]
    assert (list(covered.nodes), list(covered.paths)) == ([node.id], ["m.py"])
    assert (result.processed_nodes, result.pages) == (1, 1)
    assert memory.swept == ["adaptive"]


def test_adaptive_takes_the_text_of_nodes_where_there_is_no_file():
    node = make_node(
        "m", source_code="x = 1\n", start_offset=0, end_offset=6, file_path="m.py"
    )
    memory = Memory([node])

    start(memory, strategy="adaptive")

    assert [plan.text for plan in memory.saved[0][0]] == ["x = 1"]


def test_a_file_that_is_not_the_one_in_the_graph_is_an_error_of_its_own():
    nodes = [
        make_node("m", file_path="m.py", start_offset=0, end_offset=4),
        make_node("n", file_path="n.py", start_offset=0, end_offset=4),
    ]
    texts = {"m.py": "changed", "n.py": "code"}
    memory = Memory(nodes)

    result = start(memory, strategy="adaptive", read_text=texts.get)

    assert (result.processed_nodes, result.written_chunks, result.errors) == (2, 1, 1)
    assert "m.py has changed" in str(memory.log)
    assert memory.swept == []


def test_adaptive_obeys_kinds_and_limit():
    text = "class C:\n    x = 1\n"
    nodes = [
        make_node(
            f"m{n}.C", kind=NodeKind.CLASS, source_code=text, start_offset=0,
            end_offset=len(text), file_path=f"m{n}.py",
        )
        for n in range(60)
    ]  # fmt: skip

    limited = start(Memory(nodes), strategy="adaptive", limit_nodes=10)
    memory = Memory(nodes)
    filtered = start(memory, strategy="adaptive", include_kinds=["METHOD"])

    assert limited.processed_nodes == 10
    assert (filtered.processed_nodes, filtered.written_chunks) == (60, 0)
    assert all(not covered.nodes for _, covered in memory.saved)
