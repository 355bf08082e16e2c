"""The modules in C under the address and undefined-behaviour sanitizers of the compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FLAGS = "-fsanitize=address,undefined -fno-sanitize-recover=all -O1 -g"
# Built here rather than taken from the package, and run on documents of the fuzzer.
PROGRAM = """
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
sys.path.insert(0, "tests")

def load(name, file):
    loader = ExtensionFileLoader(name, file)
    module = module_from_spec(spec_from_file_location(name, file, loader=loader))
    loader.exec_module(module)
    return module

graph, scanner, reranker, text = sys.argv[1:5]
files = {"codegraph": graph, "markdown": scanner, "providers": reranker, "text": text}
for name, file in files.items():
    name = f"outcrop.{name}._native"
    sys.modules[name] = load(name, file)
scanner = sys.modules["outcrop.markdown._native"]
from fuzz.cases import DOCUMENT, CaseMaker
from fuzz.readers import chunk_facts
from fuzz.words import check_words
from outcrop.text.native import NATIVE
assert NATIVE.__file__ == text
count = int(sys.argv[5])
maker = CaseMaker("sanitized", ("readers",))
for number in range(count):
    document = maker.case(number).files[DOCUMENT]
    if number % 50 == 0:
        chunk_facts(document, 60)
    data = document.encode("utf-8", "replace")
    scanner.scan(data, 0, 0)
    scanner.scan(data[: number % (len(data) + 1)], 1, 2)
maker = CaseMaker("sanitized", ("words",))
for number in range(count):
    check_words(maker.case(number).files[DOCUMENT])
from random import Random
from outcrop.providers.local_reranker import _load_network
from outcrop.providers.reranker_network import NATIVE as RERANKER, NativeNetwork
assert RERANKER.__file__ == reranker
networks = [NativeNetwork(_load_network().weights, name) for name in RERANKER.KERNELS]
random = Random(0)
for number in range(count // 1000):
    lengths = [random.randint(1, 128) for _ in range(random.randint(0, 40))]
    passages = [random.choices(range(60_000), k=length) for length in lengths]
    query = random.choices(range(60_000), k=random.randint(1, 40))
    scores = [network.score(query, passages).tolist() for network in networks]
    assert scores == scores[:1] * len(scores)
from outcrop.codegraph import build
from outcrop.codegraph.flow.solver import PointsTo
assert PointsTo.__module__ == "outcrop.codegraph._native"
assert build("src", workers=1).edges
import numpy as np
from outcrop.store.sketches.view import pack, project
from outcrop.store.sketches.view import Block, SketchView
none = np.empty(0, np.uint64)
for number in (1, 511, 512, 513, 3000):
    vectors = np.random.default_rng(number).standard_normal((number, 300), np.float32)
    block = Block("a", 1, np.arange(number, dtype=np.uint64), pack(project(vectors)), none)
    assert len(SketchView(300, [block]).nearest(vectors[0], 50)) == min(50, number)
from outcrop.store.lexical.postings import PostingsBuilder
from outcrop.store.lexical.weights import pack_postings
for number in (1, 1000):
    vectors = [row[1] for row in pack_postings([{"a": 1, "b": 2}, {"b": 1}] * number, 9.0).rows]
    builder = PostingsBuilder({"a": number, "b": 2 * number})
    assert builder.add([f"{at:016x}" for at in range(2 * number)], vectors)
    for is_fused in (False, True):
        lists = builder.build(is_fused=is_fused)
        scored = lists.score({"a": 1.0, "b": 0.5}, {"a": number, "b": 2 * number})
        assert len(scored.best_with(["a", "b"], 5000)) == 2 * number
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
        "print(*build(Path(sys.argv[1])).values())"
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
    libraries = made.stdout.split()[-4:]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *libraries, "40000"],
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
