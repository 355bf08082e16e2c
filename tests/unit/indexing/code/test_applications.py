"""Which application of the code graph a file belongs to."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from outcrop.indexing.code.applications import group_files
from outcrop.indexing.files.discover import SourceFile, document_path
from outcrop.model.graph import Application

PROJECT = Path("/home/tea")


def source(path: str, lang: str | None = "python") -> SourceFile:
    file = Path(path) if path.startswith("/") else PROJECT / path
    return SourceFile(
        path=document_path(file, PROJECT),
        file=file,
        kind="code",
        size=1,
        modified_ns=1,
        lang=lang,
        has_grammar=lang == "python",
    )


def group(*paths: str, roots: tuple[str, ...] = (), stored=()):
    found = group_files(
        [source(path) for path in paths],
        project=PROJECT,
        roots=[Path(root) for root in roots],
        stored=stored,
    )
    return {each.name: sorted(each.files) for each in found}


def test_code_of_the_project_is_one_application():
    assert group("a.py", "src/b.py") == {"tea": ["a.py", "src/b.py"]}


def test_a_project_keeps_the_name_it_was_stored_with():
    stored = [Application(id="pot", name="pot", metadata={"root": "."})]
    assert group("a.py", stored=stored) == {"pot": ["a.py"]}


def test_a_folder_outside_is_named_by_itself():
    found = group("a.py", "/else/lib/x.py", roots=("/home/tea", "/else/lib"))
    assert found == {"tea": ["a.py"], "lib": ["/else/lib/x.py"]}


def test_a_name_that_is_taken_becomes_the_whole_path():
    found = group("a.py", "/else/tea/x.py", roots=("/else/tea",))
    assert found == {"tea": ["a.py"], "/else/tea": ["/else/tea/x.py"]}


def test_a_file_outside_stays_where_it_was_stored():
    stored = [Application(id="lib", name="lib", metadata={"root": "/else/lib"})]
    found = group("/else/lib/in/x.py", roots=("/else/lib/in",), stored=stored)
    assert found == {"tea": [], "lib": ["/else/lib/in/x.py"]}


def test_names_outside_start_at_the_folder():
    (_, outside) = group_files(
        [source("/else/lib/src/x.py"), source("/else/lib/Cargo.toml", "toml")],
        project=PROJECT,
        roots=[Path("/else/lib")],
        stored=[],
    )
    assert outside.graph_files() == [("src/x.py", "python")]
    assert outside.document_path("src/x.py") == "/else/lib/src/x.py"
    assert sorted(outside.graph_sources()) == [
        "/else/lib/Cargo.toml",
        "/else/lib/src/x.py",
    ]


def test_code_in_object_storage_is_an_application_of_its_own():
    files = ["a.py", "s3://bucket/lib/src/x.py", "s3://bucket/lib/y.py"]
    (own, remote) = group_files(
        [replace(source("x"), path=path) for path in files],
        project=PROJECT,
        roots=[],
        stored=[],
        urls=["s3://bucket/lib", "s3://bucket/lib/src"],
    )
    assert list(own.files) == ["a.py"]
    assert (remote.name, remote.stored_root) == ("lib", "s3://bucket/lib")
    assert remote.inner_path("s3://bucket/lib/src/x.py") == "src/x.py"
    assert remote.document_path("y.py") == "s3://bucket/lib/y.py"


def test_an_object_that_is_named_itself_belongs_to_its_folder():
    url = "s3://bucket/lib/x.py"
    (_, remote) = group_files(
        [replace(source("x"), path=url)],
        project=PROJECT,
        roots=[],
        stored=[],
        urls=[url],
    )
    assert (remote.name, remote.url) == ("lib", "s3://bucket/lib")


def test_a_folder_whose_name_is_not_text_names_an_application_all_the_same():
    project = Path("/home") / os.fsdecode(b"caf\xe9")
    [own] = group_files([], project=project, roots=[project], stored=())
    assert own.name == "caf\\udce9"
