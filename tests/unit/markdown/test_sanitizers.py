"""The scanner under the address and undefined-behaviour sanitizers of the compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FLAGS = "-fsanitize=address,undefined -fno-sanitize-recover=all -O1 -g"
# Built here rather than taken from the package, and run on documents of the fuzzer.
PROGRAM = """
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
sys.path.insert(0, "tests")
from fuzz.cases import DOCUMENT, CaseMaker
loader = ExtensionFileLoader("_native", sys.argv[1])
module = module_from_spec(spec_from_file_location("_native", sys.argv[1], loader=loader))
loader.exec_module(module)
maker = CaseMaker("sanitized", ("readers",))
for number in range(int(sys.argv[2])):
    data = maker.case(number).files[DOCUMENT].encode("utf-8", "replace")
    module.scan(data, 0, 0)
    module.scan(data[: number % (len(data) + 1)], 1, 2)
print("clean")
"""


def _library(name: str) -> str:
    command = ["cc", f"-print-file-name={name}"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return found.stdout.strip()


@pytest.mark.full
@pytest.mark.timeout(600)
def test_the_sanitizers_find_nothing(tmp_path):
    if shutil.which("cc") is None or not Path(_library("libasan.so")).is_file():
        pytest.skip("there is no C compiler with sanitizers here")
    build = (
        "import sys; from pathlib import Path; from hatch_build import build;"
        "print(build(Path(sys.argv[1])))"
    )
    flags = {"CFLAGS": FLAGS, "LDFLAGS": FLAGS, "PYTHONPATH": str(ROOT)}
    made = subprocess.run(
        [sys.executable, "-c", build, str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, **flags},
        capture_output=True,
        text=True,
        check=True,
    )
    library = made.stdout.split()[-1]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, library, "40000"],
        cwd=ROOT,
        env={
            **os.environ,
            "LD_PRELOAD": f"{_library('libasan.so')}:{_library('libubsan.so')}",
            "ASAN_OPTIONS": "detect_leaks=0",  # the interpreter frees little at its end
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "clean\n", done.stderr
