from outcrop.model.node import NodeKind
from outcrop.pipeline.render_doc import RenderDoc, render
from unit.pipeline.chunks import make_chunk, make_context, make_node


def test_signature_and_comment_become_markdown():
    node = make_node("shop.pay", doc_comment="Take the money.\n\nOnce only.")

    assert render(node) == (
        "### `shop.pay`\n\n```python\ndef pay()\n```\n\nTake the money.\n\nOnce only."
    )


def test_what_is_missing_is_left_out():
    assert render(make_node("shop.pay", signature=None)) == "### `shop.pay`"


def test_annotations_stand_above_the_signature_and_a_route_on_its_own():
    node = make_node(
        "shop.pay",
        kind=NodeKind.ENDPOINT,
        annotations=("@app.post('/pay')",),
        http_method="POST",
        http_path="/pay",
    )

    assert "`POST /pay`" in render(node)
    assert "@app.post('/pay')\ndef pay()" in render(node)


def test_a_fence_in_the_signature_does_not_end_the_block():
    text = render(make_node("shop.pay", signature="def pay(x='```')"))
    assert "````python" in text


def test_the_language_is_that_of_the_comment():
    node = make_node("shop.pay", doc_comment="Списывает деньги со счёта.")
    chunk = make_chunk(source="doc", node_id=node.id)

    (facts,) = RenderDoc().run([chunk], make_context([node]))

    assert facts.values["lang_detected"] == "ru"


def test_row_3_66_the_source_stays_beside_the_rendered_text():
    node = make_node("shop.pay", source_code="def pay():\n    return 1\n")
    chunk = make_chunk(source="doc", node_id=node.id)

    (facts,) = RenderDoc().run([chunk], make_context([node]))

    assert facts.values["content_raw"] == node.source_code
    assert facts.values["content"].startswith("### `shop.pay`")


def test_a_node_that_is_no_more_is_to_be_planned_again():
    chunk = make_chunk(source="doc", node_id="gone")

    (facts,) = RenderDoc().run([chunk], make_context())

    assert facts.is_stale
    assert "gone" in facts.error
