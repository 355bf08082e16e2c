"""The code graph in the store: a set difference, all or nothing."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from integration.store.graphs import edge, node, versioned_graph
from integration.store.samples import chunk, chunks, document
from integration.store.searches import search_words
from integration.store.servers import EVERY_SERVER
from outcrop.errors import InputError, NotFoundError, StorageError
from outcrop.model.edge import Edge, EdgeKind, Resolution
from outcrop.model.node import NodeKind
from outcrop.model.stored import document_id

if TYPE_CHECKING:
    from outcrop.model.node import Node
    from outcrop.store.store import PostgresStore


def _all_nodes(store: PostgresStore, application: str = "app") -> list[Node]:
    return store.nodes_page(application, limit=100_000)


def _put(store: PostgresStore, nodes: list[Node], edges: list[Edge]) -> Any:
    store.put_application("app")
    return store.replace_graph("app", nodes, edges)


def _rows(store: PostgresStore, table: str) -> dict[Any, str]:
    """Return who wrote each row: the same only where it was not touched."""
    keys = {"nodes": "id", "edges": "src || kind || dst", "chunks": "id"}
    with store._database.read() as connection:
        query = f"SELECT {keys[table]}, xmin::text FROM {table}"  # noqa: S608 - of the test
        return dict(connection.execute(query).fetchall())


def test_every_field_of_a_node_and_an_edge_comes_back(store: PostgresStore) -> None:
    full = node(
        "a.b.C.get",
        kind=NodeKind.ENDPOINT,
        doc_comment="Тело 本文 🎉",
        annotations=('@get("/x")', "@cached", ""),
        visibility="internal",
        http_method="GET",
        http_path="/x/{id}",
        end_offset=5_000_000_000,
    )
    bare = node(
        "a",
        kind=NodeKind.PACKAGE,
        signature=None,
        source_code=None,
        file_path=None,
        line_start=None,
        line_end=None,
        start_offset=None,
        end_offset=None,
    )
    call = edge("a.b.C.get", "a", resolution=Resolution.HEURISTIC, confidence=0.4)
    outside = edge("a.b.C.get", "os.path.join", external=True)
    done = _put(store, [full, bare], [call, outside])
    assert (done.nodes_inserted, done.edges_inserted) == (2, 2)
    assert store.get_nodes([full.id, "unknown", bare.id]) == [full, bare]
    assert store.edges_from([full.id]) == [call, outside]
    assert store.edges_to(["os.path.join"]) == [outside]
    assert store.edges_to([bare.id], [EdgeKind.EXTENDS]) == []


def test_only_differences_are_written(store: PostgresStore) -> None:
    names = ["m.a", "m.b", "m.c"]
    calls = [edge("m.a", "m.b"), edge("m.b", "m.c"), edge("m.a", "m.c")]
    _put(store, [node(name) for name in names], calls)
    nodes_before, edges_before = _rows(store, "nodes"), _rows(store, "edges")

    changed = node("m.b", doc_comment="New.")
    done = _put(
        store,
        [node("m.a"), changed, node("m.d")],
        [calls[0], calls[2]._replace(dst="app:m.d"), calls[1]._replace(dst="app:m.a")],
    )

    assert (done.nodes_inserted, done.nodes_updated) == (1, 1)
    assert (done.nodes_deleted, done.nodes_unchanged) == (1, 1)
    assert (done.edges_inserted, done.edges_updated, done.edges_deleted) == (2, 0, 2)
    assert done.touched == {"app:m.a", "app:m.b", "app:m.c", "app:m.d"}
    assert done.changed == {"app:m.b", "app:m.c", "app:m.d"}
    assert {each.fqn for each in _all_nodes(store)} == {"m.a", "m.b", "m.d"}
    assert _rows(store, "nodes")["app:m.a"] == nodes_before["app:m.a"]
    kept = "app:m.aCALLSapp:m.b"
    assert _rows(store, "edges")[kept] == edges_before[kept]


def test_the_same_graph_again_writes_nothing(store: PostgresStore) -> None:
    nodes, edges = versioned_graph(1)
    _put(store, nodes, edges)
    before = [_rows(store, table) for table in ("nodes", "edges")]
    done = _put(store, nodes, edges)
    assert not done.rows_written
    assert done.touched == frozenset()
    assert [_rows(store, table) for table in ("nodes", "edges")] == before


def test_another_label_updates_an_edge(store: PostgresStore) -> None:
    nodes = [node("m.a"), node("m.b")]
    _put(store, nodes, [edge("m.a", "m.b")])
    surer = edge("m.a", "m.b", resolution=Resolution.FLOW, confidence=0.8)
    done = _put(store, nodes, [surer])
    assert (done.edges_updated, done.touched) == (1, {"app:m.a", "app:m.b"})
    assert store.edges_from(["app:m.a"]) == [surer]


def test_applications_do_not_touch_each_other(store: PostgresStore) -> None:
    _put(store, [node("m.a"), node("m.b")], [edge("m.a", "m.b")])
    store.put_application("other", {"language": "python"})
    store.replace_graph("other", [node("m.a", "other")], [edge("m.a", "m.a", "other")])
    store.replace_graph("other", [], [])
    assert [each.fqn for each in _all_nodes(store)] == ["m.a", "m.b"]
    assert len(store.edges_from(["app:m.a"])) == 1
    found = {each.name: (each.nodes, each.metadata) for each in store.applications()}
    assert found == {"app": (2, {}), "other": (0, {"language": "python"})}
    assert store.get_application("app").created_at is not None


def test_metadata_of_an_application_is_written_with_its_graph(
    store: PostgresStore,
) -> None:
    store.put_application("app", {"kept": 1})
    store.replace_graph("app", [], [], metadata={"fingerprint": "f"})
    assert store.get_application("app").metadata == {"kept": 1, "fingerprint": "f"}


def test_what_cannot_be_a_graph_is_refused(store: PostgresStore) -> None:
    with pytest.raises(InputError, match="there is no application 'app'"):
        store.replace_graph("app", [], [])
    with pytest.raises(InputError, match="is not the name of an application"):
        store.put_application(" ")
    with pytest.raises(NotFoundError):
        store.get_application("app")
    store.put_application("app")
    with pytest.raises(InputError, match="given twice"):
        store.replace_graph("app", [node("m.a"), node("m.a")], [])
    with pytest.raises(InputError, match="or to application"):
        store.replace_graph("app", [node("m.a", "other")], [])
    with pytest.raises(InputError, match="is MENTIONS, not CALLS"):
        store.put_mentions([edge("m.a", "m.b")])
    assert _all_nodes(store) == []


def test_names_of_any_length_are_kept(store: PostgresStore) -> None:
    long = ".".join(f"part{number}" for number in range(3000))
    far = Edge(src="n1", dst="x" * 9000, kind=EdgeKind.CALLS, external=True)
    _put(store, [node(long, id="n1")], [far])
    assert store.find_nodes(long)[0].fqn == long
    assert [len(each.dst) for each in store.edges_from(["n1"])] == [500]


def test_edges_to_names_that_are_equal_once_cut_are_one_edge(
    store: PostgresStore,
) -> None:
    ends = ["x" * 900, "x" * 901, "y"]
    edges = [edge("m.a", name, external=True) for name in ends]
    first = _put(store, [node("m.a")], edges)
    assert (first.edges_inserted, len(store.edges_from(["app:m.a"]))) == (2, 2)
    assert not _put(store, [node("m.a")], edges).rows_written


@pytest.mark.parametrize("bad", ["\0", "\ud800"], ids=["nul", "surrogate"])
def test_characters_that_cannot_be_stored_are_replaced(
    store: PostgresStore, bad: str
) -> None:
    store.put_application("app", {"note": bad})
    doc = {"doc_comment": f"strips{bad}", "annotations": (f"@a{bad}",)}
    nodes = [node("m.f", **doc), node("m.g", signature=bad, source_code=bad)]
    edges = [edge("m.f", f"os{bad}path", external=True), edge("m.f", "m.g")]
    store.replace_graph("app", nodes, edges, metadata={"more": bad})
    found = store.get_nodes(["app:m.f"])[0]
    assert found.doc_comment == "strips\ufffd"
    assert found.annotations == ("@a\ufffd",)
    assert store.get_nodes(["app:m.g"])[0].signature == "\ufffd"
    assert store.get_application("app").metadata == {"note": "\ufffd", "more": "\ufffd"}
    assert not store.replace_graph("app", nodes, edges).rows_written


def test_pages_are_in_the_order_of_ids(store: PostgresStore) -> None:
    nodes = [node(f"m.f{number:03}") for number in range(25)]
    nodes.append(node("m.C", kind=NodeKind.CLASS))
    _put(store, nodes, [])
    found: list[Node] = []
    while page := store.nodes_page(
        "app", after=found[-1].id if found else "", limit=10,
        kinds={NodeKind.FUNCTION},
    ):  # fmt: skip
        found += page
    assert found == nodes[:25]


def test_symbols_are_found_by_id_name_and_end(store: PostgresStore) -> None:
    nodes = [
        node("a.Get"),
        node("a.b.get"),
        node("get"),
        node("a.C.get(int)", name="get"),
        node("rust::mod::get", name="get"),
        node("a.b.target"),
    ]
    _put(store, nodes, [])

    def find(symbol: str, limit: int = 20) -> list[str]:
        return [each.fqn for each in store.find_nodes(symbol, limit=limit)]

    assert find("app:a.b.get") == ["a.b.get"]
    assert find("a.b.get") == ["a.b.get"]
    assert find("get")[0] == "get"
    assert set(find("get")) == {"get", "a.b.get", "a.C.get(int)", "rust::mod::get"}
    assert find("C.get") == find("a.C.get") == find("C.get(int)") == ["a.C.get(int)"]
    assert find("mod::get") == ["rust::mod::get"]
    assert find("b.get") == ["a.b.get"]
    assert find("et") == []
    assert len(find("get", limit=2)) == 2
    assert [n.fqn for n in store.resembling_nodes("TAR")] == ["a.b.target"]
    assert store.resembling_nodes("%") == []


def test_nodes_point_to_the_document_of_their_file(store: PostgresStore) -> None:
    _put(store, [node("m.a"), node("m", file_path=None)], [])
    with store._database.read() as connection:
        rows = connection.execute("SELECT fqn, document_id FROM nodes").fetchall()
    assert dict(rows) == {"m.a": document_id("m.py"), "m": None}


def test_a_deleted_document_takes_its_nodes_and_their_edges(
    store: PostgresStore,
) -> None:
    for path in ("m.py", "other.py", "docs/a.md"):
        store.replace_documents([(document(path), chunks([path], path))])
    calls = [edge("m.a", "other.b"), edge("other.b", "m.a"), edge("other.b", "other.c")]
    _put(store, [node("m.a"), node("other.b"), node("other.c")], calls)
    guide = store.chunks_of("docs/a.md")[0].id
    mentions = [
        Edge(src=guide, dst=f"app:{name}", kind=EdgeKind.MENTIONS)
        for name in ("m.a", "other.b")
    ]
    store.put_mentions(mentions)
    store.delete_documents(["m.py"])
    assert {each.fqn for each in _all_nodes(store)} == {"other.b", "other.c"}
    assert set(_rows(store, "edges")) == {
        "app:other.bCALLSapp:other.c",
        f"{guide}MENTIONSapp:other.b",
    }
    store.delete_documents(["docs/a.md"])
    assert set(_rows(store, "edges")) == {"app:other.bCALLSapp:other.c"}


def test_chunks_of_a_node_that_is_gone_go_with_it(store: PostgresStore) -> None:
    given = [
        chunk("tells a", "m.py", 0, node_id="app:m.a"),
        chunk("tells b", "m.py", 1, node_id="app:m.b"),
    ]
    store.replace_documents([(document("m.py"), given)])
    _put(store, [node("m.a"), node("m.b")], [])
    store.replace_graph("app", [node("m.b")], [], keep_chunks=True)
    assert len(store.chunks_of("m.py")) == 2
    _put(store, [node("m.a"), node("m.b")], [])
    _put(store, [node("m.b")], [])
    assert [each.content for each in store.chunks_of("m.py")] == ["tells b"]
    assert store.get_document("m.py").chunk_count == 1
    assert search_words(store, "tells") != []
    assert store.status().worded == 1


def test_mentions_of_a_chunk_are_replaced(store: PostgresStore) -> None:
    store.replace_documents([(document(), chunks(["one", "two"]))])
    one, two = (each.id for each in store.chunks_of("docs/a.md"))
    _put(store, [node("m.a"), node("m.b")], [])

    def mention(src: str, name: str, **fields: Any) -> Edge:
        return Edge(src=src, dst=f"app:{name}", kind=EdgeKind.MENTIONS, **fields)

    unsure = mention(one, "m.a", resolution=Resolution.HEURISTIC, confidence=0.5)
    assert store.put_mentions([unsure, mention(two, "m.a"), mention(two, "gone")]) == 2
    sure = [mention(one, "m.a"), mention(one, "m.b")]
    assert store.put_mentions(sure) == 2
    assert store.put_mentions(sure) == 0
    assert store.edges_from([one]) == sure
    assert store.put_mentions([], chunk_ids=[one]) == 2
    assert store.edges_to(["app:m.a"]) == [mention(two, "m.a")]
    # A new version without the chunk, and a graph without the node, leave none.
    store.replace_documents([(document(version="2"), chunks(["one"]))])
    assert _rows(store, "edges") == {}
    store.put_mentions([mention(one, "m.b")])
    _put(store, [node("m.a")], [])
    assert _rows(store, "edges") == {}


def test_two_writers_and_a_reader_see_whole_graphs(store: PostgresStore) -> None:
    store.replace_documents([(document("m.py"), chunks(["one"], "m.py"))])
    _put(store, *versioned_graph(0))
    failures: list[BaseException] = []
    stop = threading.Event()

    def write(first: int) -> None:
        try:
            for version in range(first, first + 24, 2):
                store.replace_graph("app", *versioned_graph(version))
                store.replace_documents(
                    [(document("m.py", str(version)), chunks([f"v{version}"], "m.py"))]
                )
        except BaseException as error:  # noqa: BLE001 - told to the test
            failures.append(error)

    def read() -> None:
        try:
            while not stop.is_set():
                _check_one_version(store)
        except BaseException as error:  # noqa: BLE001 - told to the test
            failures.append(error)

    reader = threading.Thread(target=read)
    writers = [threading.Thread(target=write, args=(first,)) for first in (1, 2)]
    for thread in (reader, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    reader.join()
    assert failures == []
    _check_one_version(store)


def _check_one_version(store: PostgresStore) -> None:
    with store._database.read() as connection:
        docs = {
            row[0]
            for row in connection.execute(
                "SELECT doc_comment FROM nodes WHERE doc_comment IS NOT NULL"
            )
        }
        count = connection.execute("SELECT count(*) FROM nodes").fetchone()
        ends = connection.execute(
            "SELECT DISTINCT dst FROM edges WHERE external"
        ).fetchall()
        dangling = connection.execute(
            "SELECT count(*) FROM edges e WHERE NOT external"
            " AND NOT EXISTS (SELECT FROM nodes n WHERE n.id = e.dst)"
        ).fetchone()
    assert len(docs) == 1, docs
    version = int(docs.pop().removeprefix("version "))
    assert count == (20 + version % 5 + 1,)
    assert ends == [(f"v{version}",)]
    assert dangling == (0,)


def _large_graph(application: str = "app") -> tuple[list[Node], list[Edge]]:
    names = [f"m.f{number}" for number in range(1_200)]
    edges = [edge(name, "m.f0", application) for name in names[1:]]
    return [node(name, application) for name in names], edges


def _indexes(store: PostgresStore) -> dict[str, tuple[int, str]]:
    query = """
        SELECT c.relname, c.oid::int, pg_get_indexdef(c.oid) FROM pg_index
        JOIN pg_class c ON c.oid = indexrelid
        WHERE indrelid IN ('nodes'::regclass, 'edges'::regclass) AND indisvalid
    """
    with store._database.read() as connection:
        rows = connection.execute(query).fetchall()
    return {name: (oid, definition) for name, oid, definition in rows}


def _definitions(indexes: dict[str, tuple[int, str]]) -> dict[str, str]:
    return {name: definition for name, (_, definition) in indexes.items()}


@EVERY_SERVER
def test_indexes_are_built_after_the_rows_of_a_first_graph(
    store: PostgresStore,
) -> None:
    before = _indexes(store)
    nodes, edges = _large_graph()
    _put(store, nodes, edges)
    after = _indexes(store)
    assert _definitions(after) == _definitions(before)
    rebuilt = {name for name in before if after[name][0] != before[name][0]}
    assert rebuilt == {name for name in before if not name.endswith("_pkey")}
    assert [found.fqn for found in store.find_nodes("f17")] == ["m.f17"]
    assert len(store.edges_to(["app:m.f0"])) == len(edges)

    store.put_application("other")
    store.replace_graph("other", *_large_graph("other"))
    assert _indexes(store) == after


@EVERY_SERVER
def test_a_reader_of_nodes_or_edges_is_not_waited_for(store: PostgresStore) -> None:
    before = _indexes(store)
    nodes, edges = _large_graph()
    with store._database.read() as reader:
        assert reader.execute("SELECT count(*) FROM edges").fetchone() == (0,)
        done = _put(store, nodes, edges)
        assert reader.execute("SELECT count(*) FROM nodes").fetchone() == (0,)
    assert (done.nodes_inserted, done.edges_inserted) == (len(nodes), len(edges))
    assert _indexes(store) == before


def test_a_first_graph_that_fails_leaves_the_indexes(store: PostgresStore) -> None:
    before = _indexes(store)
    nodes, edges = _large_graph()
    with pytest.raises(StorageError):
        _put(store, nodes, [*edges, edge("m.f1", "m.f2", confidence=None)])
    assert _indexes(store) == before
    assert _all_nodes(store) == []
