"""A pytest plugin that writes down which functions of a package call which.

    TRACE_ROOT=src/click TRACE_OUT=click.json python -m pytest -p trace_calls tests

Run it with `benchmarks` on PYTHONPATH. Only direct calls between functions of the
package are kept; functions without a name are left out, comprehensions belong to the
function around them, and only the first step of a generator is a call. Score a graph against the
result with `python benchmarks/callgraph.py src/click --traced click.json`.
"""

from __future__ import annotations

import dis
import json
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import CodeType, FrameType

_GENERATORS = 0x20 | 0x80 | 0x200
_OPTIMIZED = 0x02
_FIRST_STEP = 4
"""Bytes between where a generator is made and where its first step starts."""
_INNER = frozenset({"<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"})


class Tracer:
    """Collects (caller, callee) pairs of one package."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.pairs: set[tuple[str, str]] = set()
        self._names: dict[CodeType, str] = {}
        self._starts: dict[CodeType, int] = {}

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a call; what `sys.setprofile` calls."""
        code = frame.f_code
        if event != "call" or code.co_name in _INNER or self._resumes(frame):
            return
        callee = self.name(code) if code.co_name != "<module>" else ""
        caller = self.name(frame.f_back.f_code) if callee and frame.f_back else ""
        if callee and caller:
            self.pairs.add((caller, callee))

    def _resumes(self, frame: FrameType) -> bool:
        code = frame.f_code
        if not code.co_flags & _GENERATORS:
            return False
        if code not in self._starts:
            found = (
                i.offset
                for i in dis.get_instructions(code)
                if i.opname == "RETURN_GENERATOR"
            )
            self._starts[code] = next(found, -1)
        return frame.f_lasti > self._starts[code] + _FIRST_STEP

    def name(self, code: CodeType) -> str:
        """Return the qualified name of a function, nothing for what is left out."""
        known = self._names.get(code)
        if known is None:
            known = self._names[code] = self._work_out(code)
        return known

    def _work_out(self, code: CodeType) -> str:
        path = Path(code.co_filename)
        if not path.is_relative_to(self.root):
            return ""
        module = ".".join(path.relative_to(self.root.parent).with_suffix("").parts)
        module = module.removesuffix(".__init__")
        parts = [part for part in code.co_qualname.split(".") if part != "<locals>"]
        while parts and parts[-1] in _INNER:
            parts.pop()
        if not parts or parts == ["<module>"]:
            return module
        is_class_body = not code.co_flags & _OPTIMIZED
        if is_class_body or any(part.startswith("<") for part in parts):
            return ""
        return ".".join([module, *parts])


_tracer = Tracer(Path(os.environ.get("TRACE_ROOT", ".")))


def pytest_configure() -> None:
    """Start tracing."""
    sys.setprofile(_tracer)
    threading.setprofile(_tracer)


def pytest_unconfigure() -> None:
    """Write what was seen."""
    sys.setprofile(None)
    threading.setprofile(None)
    out = Path(os.environ.get("TRACE_OUT", "calls.json"))
    out.write_text(json.dumps(sorted(_tracer.pairs)), "utf-8")
