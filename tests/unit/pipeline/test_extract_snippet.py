from hashlib import sha256

from outcrop.model.edge import EdgeKind
from outcrop.model.node import NodeKind
from outcrop.pipeline.extract_snippet import ExtractSnippet
from outcrop.planning.plans import text_hash
from unit.pipeline.chunks import call, make_chunk, make_context, make_node

TEXT = "import a\n\ndef f():\n    return a\n"
START = TEXT.index("def")
END = len(TEXT) - 1


def extract(files=None, **fields):
    context = make_context(files={"shop/cart.py": TEXT} if files is None else files)
    (facts,) = ExtractSnippet().run([make_chunk(**fields)], context)
    return facts


def test_the_text_at_the_place_of_a_chunk_is_taken_to_the_letter():
    values = extract(start_offset=START, end_offset=END).values

    own = "def f():\n    return a"
    assert (values["content"], values["content_raw"]) == (own, None)
    assert values["content_hash"] == sha256(own.encode()).hexdigest()
    assert values["token_count"] > 3


def test_what_is_repeated_is_part_of_the_content_only():
    values = extract(start_offset=START, end_offset=END, prefix="class A\n").values

    assert values["content"].startswith("class A\ndef f")
    assert values["content_raw"].startswith("def f")


def test_lines_do_where_there_is_no_offset():
    values = extract(start_line=3, end_line=4).values

    assert values["content"] == "def f():\n    return a"
    assert (values["start_offset"], values["end_offset"]) == (START, END)


def test_text_that_is_as_planned_is_accepted():
    planned = {"text_hash": text_hash(TEXT[START:END])}
    facts = extract(start_offset=START, end_offset=END, pipeline=planned)
    assert not facts.error


def test_text_that_is_not_as_planned_is_to_be_planned_again():
    planned = {"text_hash": text_hash("def f(): pass")}
    facts = extract(start_offset=START, end_offset=END, pipeline=planned)

    assert facts.is_stale
    assert "shop/cart.py has changed" in facts.error
    assert facts.values == {}


def test_a_file_that_became_shorter_is_to_be_planned_again():
    assert extract(start_offset=START, end_offset=END + 90).is_stale
    assert extract(start_line=3, end_line=40).is_stale


def test_a_file_that_is_gone_is_to_be_planned_again():
    facts = extract(files={}, start_offset=START, end_offset=END)

    assert facts.is_stale
    assert "shop/cart.py was deleted" in facts.error


def test_a_node_without_a_file_gets_an_outline_of_what_it_contains():
    package = make_node("shop", kind=NodeKind.PACKAGE, file_path=None)
    cart = make_node("shop.Cart", kind=NodeKind.CLASS)
    edges = [call("shop", "shop.Cart", kind=EdgeKind.CONTAINS)]
    planned = {"params": {"filePath": "", "hasSourceInNode": False}}
    chunk = make_chunk(path="shop", node_id="shop", pipeline=planned)

    (facts,) = ExtractSnippet().run([chunk], make_context([package, cart], edges))

    assert facts.values["content"] == "package shop\n- class Cart"


def test_a_node_without_a_file_that_is_no_more_is_to_be_planned_again():
    planned = {"params": {"filePath": ""}}
    chunk = make_chunk(path="shop", node_id="shop", pipeline=planned)

    (facts,) = ExtractSnippet().run([chunk], make_context())

    assert facts.is_stale


def test_the_lines_decide_where_a_file_says_the_same_twice():
    text = "def f():\n    pass\n\ndef f():\n    pass\n"
    values = extract({"shop/cart.py": text}, start_line=4, end_line=5).values
    second = text.rindex("def")
    assert (values["start_offset"], values["end_offset"]) == (second, len(text) - 1)
