"""A small project of code and documents, and random edits of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from pathlib import Path

_LIBRARY = '''\
"""Tea, brewed."""

LIMIT = {limit}


class Pot:
    """A pot of tea."""

    def __init__(self, size):
        self.size = size
        self.cups = []

    def pour(self, cup):
        """Fill a cup with tea number {number}."""
        check_cup(cup, LIMIT)
        self.cups.append(cup)
        return self.cups[-1]


def check_cup(cup, limit):
    """Refuse a cup that is too small."""
    if cup.size > limit:
        raise ValueError(cup)
    return cup
'''
_CALLER = '''\
from tea.lib{other} import Pot, check_cup


def serve_{number}(guests):
    """Serve tea to all guests."""
    pot = Pot(len(guests))
    for guest in guests:
        pot.pour(guest.cup)
    return pot


def inspect_{number}(cup):
    print(cup)
    return check_cup(cup, {limit})
'''
_SCRIPT = """\
export function brew{number}(leaves: string[]): string {{
  const water = heat{number}({limit});
  return leaves.map((leaf) => leaf + water).join("");
}}

export function heat{number}(degrees: number): number {{
  if (degrees > 100) {{
    throw new Error("steam");
  }}
  return degrees;
}}
"""
_GUIDE = """\
# Guide {number}

Call `serve_{number}` to serve, or `tea.lib{other}.Pot.pour` for one cup.

## Limits

The limit is {limit}; see `check_cup` and `brew{number}()`.
"""
_STYLE = ".pot{number} {{ width: {limit}px; }}\n\n.cup {{ color: brown; }}\n"
_KINDS = {
    "tea/lib{n}.py": _LIBRARY,
    "tea/call{n}.py": _CALLER,
    "web/brew{n}.ts": _SCRIPT,
    "docs/guide{n}.md": _GUIDE,
    "web/style{n}.css": _STYLE,
}


def write_tree(folder: Path, count: int = 4) -> None:
    """Write a project."""
    write(folder, "tea/__init__.py", "")
    for number in range(count):
        for name in _KINDS:
            _write_one(folder, name, number, other=number, limit=number)


def edit_tree(folder: Path, choose: random.Random) -> None:
    """Add, change, delete and rename a few files."""
    for _ in range(choose.randint(1, 4)):
        choose.choice([_add, _change, _insert, _delete, _rename])(folder, choose)


def write(folder: Path, path: str, text: str) -> None:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def _write_one(folder: Path, name: str, number: int, *, other: int, limit: int) -> None:
    text = _KINDS[name].format(number=number, other=other, limit=limit)
    write(folder, name.format(n=number), text)


def _files(folder: Path) -> list[Path]:
    found = folder.rglob("*.*")
    return sorted(f for f in found if f.is_file() and ".outcrop" not in f.parts)


def _add(folder: Path, choose: random.Random) -> None:
    name = choose.choice(list(_KINDS))
    number = choose.randrange(8)
    _write_one(
        folder, name, number, other=choose.randrange(4), limit=choose.randrange(99)
    )


def _change(folder: Path, choose: random.Random) -> None:
    file = choose.choice(_files(folder))
    text = file.read_text()
    word = choose.choice(["cup", "pour", "size", "check_cup", "limit", "heat"])
    file.write_text(text.replace(word, f"{word}{choose.randrange(3)}", 2))


def _insert(folder: Path, choose: random.Random) -> None:
    file = choose.choice(_files(folder))
    mark = {".md": "A line.\n\n", ".py": "# A line.\n\n"}.get(file.suffix, "\n\n")
    file.write_text(mark + file.read_text())


def _delete(folder: Path, choose: random.Random) -> None:
    choose.choice(_files(folder)).unlink()


def _rename(folder: Path, choose: random.Random) -> None:
    file = choose.choice(_files(folder))
    file.rename(file.with_stem(f"{file.stem}_{choose.randrange(3)}"))
