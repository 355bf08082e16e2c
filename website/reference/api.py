"""Every public name, from its signature and its docstring."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields, is_dataclass
from enum import Enum

import outcrop

_HEAD = """\
# API

Every public name of `outcrop`, from its docstring; [Python](python.md) explains them by subject, with examples. The page is written by `make reference`.
"""
_SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Yields):$")
_ITEM = re.compile(r"^(\*{0,2}[\w.]+)(?: \([^)]*\))?: (.*)$")
_LABELS = {"Args": "Parameters", "Attributes": "Attributes", "Raises": "Raises"}


def render() -> str:
    """Return the page."""
    names = [name for name in outcrop.__all__ if name != "__version__"]
    return "\n".join([_HEAD, *map(_describe, names)])


def _describe(name: str) -> str:
    value = getattr(outcrop, name)
    kind = "class" if inspect.isclass(value) else "function"
    lines = [f"## {name}", "", f"{kind} `{name}{_signature(value)}`", ""]
    lines += [_markdown(inspect.getdoc(value) or ""), ""]
    if inspect.isclass(value):
        lines += _members(value)
    return "\n".join(lines)


def _signature(value: object) -> str:
    if inspect.isclass(value) and (
        issubclass(value, Enum) or getattr(value, "_is_protocol", False)
    ):
        return ""
    try:
        signature = inspect.signature(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    shown = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
        if parameter.name not in {"self", "cls"}
    ]
    text = str(inspect.Signature(shown))
    return re.sub(
        r"<factory>|<[^>]*object at 0x[^>]*>|<function (\w+)[^>]*>", "…", text
    )


def _members(value: type) -> list[str]:
    own_fields = (
        {field.name for field in fields(value)} if is_dataclass(value) else set()
    )
    lines = []
    for name, member in _own_and_inherited(value).items():
        if name.startswith("_") or name in own_fields:
            continue
        function = member
        if isinstance(member, classmethod | staticmethod):
            function = member.__func__
        elif isinstance(member, property):
            function = member.fget
        doc = inspect.getdoc(function) if inspect.isfunction(function) else None
        if doc is None:
            continue
        call = "" if isinstance(member, property) else _signature(function)
        lines += [f"### {value.__name__}.{name}", "", f"`{name}{call}`", ""]
        lines += [_markdown(doc), ""]
    return lines


def _own_and_inherited(value: type) -> dict[str, object]:
    """Return the members of a class, then those of its bases in this package."""
    found: dict[str, object] = {}
    for base in value.__mro__:
        # A public base has a part of the page to itself.
        is_shown = base is not value and base.__name__ in outcrop.__all__
        if base.__module__.startswith("outcrop.") and not is_shown:
            for name, member in vars(base).items():
                found.setdefault(name, member)
    return found


def _markdown(doc: str) -> str:
    """Turn a docstring with sections into Markdown: sections become lists."""
    out: list[str] = []
    section, in_fence = "", False
    for line in doc.splitlines():
        if line.lstrip().startswith("```"):
            in_fence = not in_fence
        if match := None if in_fence else _SECTION.match(line):
            section = match[1]
            out += [f"**{_LABELS.get(section, section)}**", ""]
        elif section and line.startswith("    ") and not in_fence:
            out.append(_item(line, section))
        else:
            section = section if line.startswith("    ") else ""
            out.append(line)
    return "\n".join(out).strip().replace("```python", "```text")


def _item(line: str, section: str) -> str:
    text = line[4:]
    match = _ITEM.match(text)
    if match and section in _LABELS:
        return f"- `{match[1]}`: {match[2]}"
    return f"  {text.strip()}" if text.startswith(" ") else text
