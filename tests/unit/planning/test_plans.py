import pytest

from outcrop.errors import ConfigError
from outcrop.model.node import NodeKind
from outcrop.planning.plans import (
    ChunkBuildRequest,
    ChunkBuildResult,
    ChunkPlan,
    ChunkText,
    PipelinePlan,
    RelationHint,
    ServiceMeta,
    content_key,
    pipeline_values,
    plan_id,
    planned_chunk,
    priority_for,
)


def test_a_request_has_the_defaults_of_the_contract():
    request = ChunkBuildRequest(application_id="shop")

    assert (request.strategy, request.dry_run, request.limit_nodes) == (
        "per-node",
        False,
        None,
    )
    assert (request.batch_size, request.include_kinds) == (200, None)
    assert request.with_edges_relations


@pytest.mark.parametrize(("batch", "page"), [(1, 50), (50, 50), (51, 51), (900, 900)])
def test_a_page_holds_fifty_nodes_at_least(batch, page):
    assert ChunkBuildRequest(application_id="a", batch_size=batch).page_size == page


@pytest.mark.parametrize("field", [{"batch_size": 0}, {"limit_nodes": -1}])
def test_a_request_refuses_numbers_that_make_no_sense(field):
    with pytest.raises(ConfigError, match=next(iter(field))):
        ChunkBuildRequest(application_id="a", **field)


def test_ids_name_node_source_and_kind_and_the_number_of_later_parts():
    assert plan_id("n1", "doc", "explanation") == "n1:doc:explanation"
    assert plan_id("n1", "code", "snippet", 2) == "n1:code:snippet:2"


def test_endpoints_and_methods_come_first_then_classes():
    priorities = {kind: priority_for(kind) for kind in NodeKind}

    assert priorities.pop(NodeKind.ENDPOINT) == 10
    assert priorities.pop(NodeKind.METHOD) == 10
    assert priorities.pop(NodeKind.CLASS) == 5
    assert set(priorities.values()) == {0}


def test_statistics_hold_counts_duration_and_rate():
    result = ChunkBuildResult(
        run_id=1,
        strategy="per-node",
        processed_nodes=100,
        written_chunks=90,
        skipped_chunks=8,
        errors=2,
        pages=2,
        seconds=4.0,
    )

    assert result.rate == 25.0
    assert result.statistics() == {
        "processed_nodes": 100,
        "written_chunks": 90,
        "skipped_chunks": 8,
        "deleted_chunks": 0,
        "errors": 2,
        "pages": 2,
        "duration": 4.0,
        "rate": 25.0,
        "notes": [],
    }


def test_a_key_tells_apart_what_joining_would_not():
    assert content_key("ab", "c") != content_key("a", "bc")
    assert content_key(None) != content_key("")
    assert content_key("a", None) == content_key("a", None)


def test_row_3_2_an_application_is_named_by_text():
    with pytest.raises(
        ConfigError, match="application_id is 1, but it must be the name"
    ):
        ChunkBuildRequest(application_id=1)


def make_plan(**fields):
    service = ServiceMeta(strategy="adaptive")
    values = {
        "id": "n1:code:snippet", "node_id": "n1", "source": "code", "kind": "snippet",
        "lang": "python", "span_lines": (1, 2), "title": "a.f", "section_path": ("a",),
        "relations": (RelationHint(kind="CALLS", dst_node_id="n2"),),
        "pipeline": PipelinePlan(stages=("extract-snippet",), service=service),
        "node": None, "path": "a.py", "text": "def f(): g()", "content_key": "k",
    }  # fmt: skip
    return ChunkPlan(**{**values, **fields})


def test_equal_plans_have_equal_keys_whatever_objects_they_share():
    name = "CALLS"
    other = "".join(letter for letter in name)  # equal, and another object
    plans = [
        make_plan(title=title, relations=(RelationHint(kind=kind, dst_node_id="n2"),))
        for title, kind in ((name, name), (other, name), (name, other))
    ]

    keys = [pipeline_values(plan)["plan_key"] for plan in plans]
    assert keys == keys[:1] * 3


@pytest.mark.parametrize(
    "fields",
    [
        {"title": "a.g"},
        {"order": 1},
        {"span_lines": None},
        {"metadata": {"part": 1}},
        {"relations": ()},
        {"relations": (RelationHint(kind="CALLS", dst_node_id="n2", confidence=1.0),)},
    ],
)
def test_the_key_of_a_plan_changes_with_each_of_its_values(fields):
    keys = [pipeline_values(plan) for plan in (make_plan(), make_plan(**fields))]

    assert keys[0]["plan_key"] != keys[1]["plan_key"]
    links = keys[0]["links_key"] != keys[1]["links_key"]
    assert links == ("relations" in fields)


def test_keys_are_the_same_in_every_version():
    values = pipeline_values(make_plan(metadata={"part": 1, "share": 0.5}))

    assert values["plan_key"] == "998d5a9a5ebf16a91a7d5f04bd01ed84"
    assert values["links_key"] == "03eff507283975b1b93b220ea7c4b4ad"


def test_a_plan_may_have_values_that_are_not_plain():
    plans = [make_plan(metadata={"kind": kind}) for kind in NodeKind]

    assert len({pipeline_values(plan)["plan_key"] for plan in plans}) == len(NodeKind)


@pytest.mark.parametrize(("content", "raw"), [("own", None), ("class A\nown", "own")])
def test_the_own_text_is_kept_where_it_is_not_the_content(content, raw):
    chunk = planned_chunk(
        make_plan(), "app", text=ChunkText(content=content, own="own", tokens=1)
    )

    assert (chunk.content, chunk.content_raw) == (content, raw)
