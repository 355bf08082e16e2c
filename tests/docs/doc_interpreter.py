"""The interpreter that runs a page's Python blocks: a request a line, an answer a line.

What blocks print is caught; the stream of answers is a copy of the standard output
that nothing else can write to.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import traceback


def main() -> None:
    """Answer requests until the input ends."""
    sys.path[0] = ""
    names: dict[str, object] = {"__name__": "__main__"}
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        for line in sys.stdin:
            answers.write(json.dumps(_run(json.loads(line), names)) + "\n")
            answers.flush()


def _run(request: dict[str, object], names: dict[str, object]) -> dict[str, str]:
    printed = io.StringIO()
    # So many empty lines that a traceback names the line of the page.
    source = "\n" * int(str(request["line"])) + str(request["code"])
    try:
        code = compile(source, str(request["name"]), "exec")
        with contextlib.redirect_stdout(printed):
            exec(code, names)  # noqa: S102 - the project's own pages
    except BaseException:  # noqa: BLE001 - whatever it is, the test reports it
        return {"error": traceback.format_exc()}
    return {"printed": printed.getvalue()}


if __name__ == "__main__":
    main()
