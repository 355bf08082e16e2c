"""What the code graph relates, where not every definition has a chunk of its own."""

from __future__ import annotations

GO = """\
package door

func Open(key string) bool { return check(key) }

func Handler() func(string) bool {
	return func(key string) bool {
		return Open(key)
	}
}
"""
SECTION = """\
# Doors

## How a door is opened

{before}

A key is compared by `door.Open`, which knows all of them.
"""


def paths_and_relations(index, symbol):
    return {
        (item.hit.path, item.hit.symbol): str(item.relation)
        for item in index.related(symbol)
    }


def test_a_function_without_a_name_calls_from_the_chunk_that_it_is_in(index, project):
    (project / "go.mod").write_text("module door\n")
    (project / "door.go").write_text(GO)
    index.index()
    found = paths_and_relations(index, "door.Open")
    assert found["door.go", "door.Handler"] == "caller"


def test_a_symbol_is_documented_by_later_parts_of_a_section_too(index, project):
    (project / "go.mod").write_text("module door\n")
    (project / "door.go").write_text(GO)
    before = "\n\n".join(
        f"Door {number} is closed at night." * 6 for number in range(9)
    )
    (project / "doors.md").write_text(SECTION.format(before=before))
    index.index()
    (mention,) = [
        item.hit for item in index.related("door.Open") if item.hit.source == "doc"
    ]
    assert "`door.Open`" in mention.content
