"""The plugin's logic, by Dify's schemas of chunk structures."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_text import documents

from outcrop import ChunkConfig, MarkdownChunker
from trees import GUIDE
from unit.adapters.dify_plugin import PLUGIN, load_structures

structures = load_structures()

LONG = "# Guide\n\n## Setup\n\n" + "\n\n".join(
    f"Paragraph {n} says something about the setup." for n in range(20)
)
FLAGS = st.fixed_dictionaries(
    {
        "enable_hierarchy": st.booleans(),
        "include_header_path": st.booleans(),
        "oversize": st.sampled_from(["keep", "split"]),
        "parent_mode": st.sampled_from(["paragraph", "full_doc", "full-doc"]),
        "strategy": st.sampled_from(["auto", "code_aware", "structural", "fallback"]),
    }
)


def words(*texts):
    return "".join("".join(texts).split())


@given(documents(), FLAGS, st.sampled_from([60, 200, 1000]))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_answer_has_the_structure_that_dify_asks_for(text, flags, size):
    made = structures.general({
        "input_variable": text, "max_chunk_length": size, **flags,
    })  # fmt: skip
    assert isinstance(made.result, list)
    assert all(isinstance(chunk, str) and chunk for chunk in made.result)
    made = structures.parent_child({
        "input_text": text, "max_length": size, "subchunk_max_length": 50, **flags,
    })  # fmt: skip
    assert made.result.keys() == {"parent_mode", "parent_child_chunks"}
    assert made.result["parent_mode"] in {"paragraph", "full-doc"}
    for pair in made.result["parent_child_chunks"]:
        assert pair.keys() == {"parent_content", "child_contents"}
        assert isinstance(pair["parent_content"], str)
        assert pair["child_contents"]
        assert all(isinstance(child, str) for child in pair["child_contents"])
    json.dumps([made.result, made.hierarchy])


def test_general_chunks_are_ours():
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=200, overlap_size=0)).chunk(
        LONG
    )
    made = structures.general({"input_variable": LONG, "max_chunk_length": 200})
    assert made.result == [chunk.content for chunk in chunks]
    assert made.hierarchy is None


def test_headings_are_put_before_the_text_on_request():
    made = structures.general(
        {"input_variable": GUIDE, "max_chunk_length": 60, "include_header_path": True}
    )
    assert made.result[-1] == "Guide > Usage\n\n## Usage\n\nRun it."


def test_an_overlap_is_repeated_within_the_length():
    made = structures.general(
        {"input_variable": LONG, "max_chunk_length": 200, "chunk_overlap_length": 40}
    )
    before, after = made.result[2:4]
    assert after.split("\n\n")[0] in before
    assert all(len(chunk) <= 200 for chunk in made.result)


def test_a_hierarchy_says_which_leaf_each_chunk_is():
    made = structures.general({"input_variable": GUIDE, "enable_hierarchy": True})
    tree = MarkdownChunker(ChunkConfig(max_chunk_size=1024)).chunk_hierarchical(GUIDE)
    leaves = tree.get_flat_chunks()
    assert made.result == [leaf.content for leaf in leaves]
    assert made.hierarchy["chunk_ids"] == [leaf.chunk_id for leaf in leaves]
    assert made.hierarchy["tree"] == tree.to_tree_dict()
    assert made.hierarchy["root_id"] == tree.root_id
    assert made.hierarchy["outline"].startswith("- Setup\n  - Linux")


def test_children_hold_the_text_of_their_parent():
    made = structures.parent_child(
        {"input_text": LONG, "max_length": 400, "subchunk_max_length": 150}
    )
    pairs = made.result["parent_child_chunks"]
    assert len(pairs) > 1
    for pair in pairs:
        assert len(pair["child_contents"]) > 1
        repeated = "# Guide\n\n## Setup\n\n"
        own = [child.removeprefix(repeated) for child in pair["child_contents"]]
        assert words(repeated, *own) == words(pair["parent_content"])


def test_children_know_the_headings_of_the_document():
    made = structures.parent_child({
        "input_text": GUIDE, "max_length": 60, "subchunk_max_length": 40,
        "include_header_path": True,
    })  # fmt: skip
    children = [
        child
        for pair in made.result["parent_child_chunks"]
        for child in pair["child_contents"]
    ]
    linux = next(child for child in children if "Use the package." in child)
    assert linux.startswith("Guide > Setup > Linux\n\n")


@pytest.mark.parametrize("mode", ["full_doc", "full-doc"])
def test_the_whole_document_can_be_the_parent(mode):
    made = structures.parent_child({"input_text": GUIDE, "parent_mode": mode})
    assert made.result["parent_mode"] == "full-doc"
    (pair,) = made.result["parent_child_chunks"]
    assert pair["parent_content"] == GUIDE


@pytest.mark.parametrize("text", ["", " \n", None])
def test_a_blank_document_has_no_chunks(text):
    assert structures.general({"input_variable": text}).result == []
    for mode in ("paragraph", "full_doc"):
        made = structures.parent_child({"input_text": text, "parent_mode": mode})
        assert made.result["parent_child_chunks"] == []


def test_numbers_and_flags_may_be_words_as_forms_give_them():
    asked = {"input_variable": LONG, "max_chunk_length": 200, "enable_hierarchy": True}
    worded = {**asked, "max_chunk_length": "200.0", "enable_hierarchy": "True"}
    assert structures.general(worded) == structures.general(asked)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"max_chunk_length": 0}, "max_chunk_length is 0, but it must be at least 1"),
        ({"max_chunk_length": "many"}, "max_chunk_length is 'many', but it must be a"),
        ({"max_chunk_length": 9.5}, "max_chunk_length is 9.5, but it must be a whole"),
        ({"max_chunk_length": float("inf")}, "max_chunk_length is inf, but it must"),
        ({"chunk_overlap_length": -1}, "chunk_overlap_length is -1, but"),
        ({"chunk_overlap_length": 1024}, "chunk_overlap_length is 1024, but"),
        ({"strategy": "best"}, "strategy is 'best', but it must be one of"),
        ({"oversize": "drop"}, "oversize is 'drop', but it must be one of"),
        ({"enable_hierarchy": "maybe"}, "enable_hierarchy is 'maybe', but"),
        ({"input_variable": 7}, "input_variable is a int, but it must be a text"),
    ],
)
def test_a_wrong_parameter_is_named(wrong, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        structures.general({"input_variable": GUIDE, **wrong})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"parent_mode": "page"}, "parent_mode is 'page', but"),
        ({"max_length": 0}, "max_length is 0, but"),
        ({"subchunk_max_length": 0}, "subchunk_max_length is 0, but"),
    ],
)
def test_a_wrong_parameter_of_parents_is_named(wrong, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        structures.parent_child({"input_text": GUIDE, **wrong})


def test_the_logic_needs_the_light_core_alone():
    script = (
        f"import sys; sys.path.insert(0, {str(PLUGIN)!r}); import structures\n"
        "structures.general({'input_variable': '# A', 'enable_hierarchy': True})\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    heavy = {"click", "dify_plugin", "gevent", "numpy", "psycopg", "pydantic", "rich"}
    assert not heavy & set(done.stdout.split())
