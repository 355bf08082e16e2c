import pytest

from outcrop.errors import StageError
from outcrop.model.stored import ChunkValues, StageOutcome
from outcrop.pipeline.inline import run_stages
from outcrop.planning.plans import planned_chunk
from outcrop.planning.strategies import PerNodeChunkStrategy
from unit.pipeline.chunks import make_chunk, make_context, make_document, make_node

TEXT = '"""Pay."""\n\n\ndef pay():\n    return send(1)\n'


def planned(**fields):
    node = make_node(
        "shop.pay", source_code=TEXT, start_offset=0, end_offset=len(TEXT), **fields
    )
    (plan,) = PerNodeChunkStrategy().build_chunks(node, [])
    return node, planned_chunk(plan, "app")


def test_a_chunk_goes_through_the_stages_of_its_plan():
    node, chunk = planned(signature=None)

    (done,) = run_stages([chunk], make_context([node], files={"shop.py": TEXT}))

    assert done.content == TEXT
    assert done.explain_md
    assert done.emb is not None
    assert done.indexable
    assert done.pipeline["done"] == chunk.pipeline["stages"]


def test_a_chunk_of_documentation_is_rendered_and_not_summarised():
    node, chunk = planned()

    (done,) = run_stages([chunk], make_context([node]))

    assert done.content.startswith("### `shop.pay`")
    assert done.explain_md is None
    assert done.pipeline["done"] == ["render-doc", "embed", "link-edges"]


def test_a_chunk_that_fails_is_left_out_and_the_others_go_on(caplog):
    node, chunk = planned(signature=None)
    document = make_document("See `pay`.", pipeline={"stages": ["link-edges"]})

    with caplog.at_level("INFO"):
        (done,) = run_stages([chunk, document], make_context([node], files={}))

    assert done.path == "guide.md"
    assert f"extract-snippet failed on {chunk.id}: shop.py was deleted" in caplog.text


def test_stages_that_are_done_are_not_done_again():
    chunk = make_chunk(
        "x",
        pipeline={"stages": ["extract-snippet", "embed"], "done": ["extract-snippet"]},
    )

    (done,) = run_stages([chunk], make_context())

    assert done.content == "x"
    assert done.pipeline["done"] == ["extract-snippet", "embed"]


def test_a_chunk_without_a_plan_stays_as_it_is():
    chunk = make_chunk("x")
    assert run_stages([chunk], make_context()) == [chunk]


def test_what_one_stage_finds_the_next_one_sees():
    class First:
        name = "first"

        def run(self, batch, context):
            return [
                StageOutcome(chunk_id=c.id, values=ChunkValues(content="new"))
                for c in batch
            ]

    class Second:
        name = "second"

        def run(self, batch, context):
            seen = ChunkValues(explain_md=f"saw {batch[0].content}")
            return [StageOutcome(chunk_id=batch[0].id, values=seen)]

    chunk = make_chunk("old", pipeline={"stages": ["first", "second"]})

    (done,) = run_stages(
        [chunk], make_context(), stages={"first": First(), "second": Second()}
    )

    assert done.explain_md == "saw new"


def test_a_stage_that_fails_altogether_is_raised():
    class Broken:
        name = "broken"

        def run(self, batch, context):
            raise StageError("no model", stage="broken")

    chunk = make_chunk(pipeline={"stages": ["broken"]})

    with pytest.raises(StageError, match="no model"):
        run_stages([chunk], make_context(), stages={"broken": Broken()})
