"""Names of modules in the layouts that projects have."""

from __future__ import annotations

import time

import pytest

from outcrop.codegraph.languages.go.dialect import import_paths
from outcrop.codegraph.languages.javascript.dialect import ModulePaths
from outcrop.codegraph.languages.python import module_names
from outcrop.codegraph.languages.rust.dialect import module_paths


def test_python_names_start_at_the_outermost_package(tmp_path):
    paths = [
        "src/pkg/__init__.py",
        "src/pkg/a/__init__.py",
        "src/pkg/a/b.py",
        "setup.py",
    ]
    assert module_names(paths, tmp_path) == {
        "src/pkg/__init__.py": "pkg",
        "src/pkg/a/__init__.py": "pkg.a",
        "src/pkg/a/b.py": "pkg.a.b",
        "setup.py": "setup",
    }


def test_python_folders_without_packages_name_their_files(tmp_path):
    paths = ["tools/build.py", "src/app.py"]
    assert list(module_names(paths, tmp_path).values()) == ["tools.build", "app"]


def test_python_packages_above_the_root_are_seen(tmp_path):
    root = tmp_path / "outer" / "inner"
    root.mkdir(parents=True)
    for folder in (root, root.parent):
        (folder / "__init__.py").touch()
    names = module_names(["__init__.py", "a.py"], root)
    assert names == {"__init__.py": "outer.inner", "a.py": "outer.inner.a"}


def test_go_packages_are_named_by_the_nearest_module(tmp_path):
    (tmp_path / "go.mod").write_text("module example.com/app\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "go.mod").write_text("module example.com/other\n")
    files = [("main.go", "main"), ("pkg/a.go", "pkg"), ("sub/x/b.go", "x")]
    assert list(import_paths(files, tmp_path).values()) == [
        "example.com/app",
        "example.com/app/pkg",
        "example.com/other/x",
    ]


def test_rust_modules_are_named_from_their_crate(tmp_path):
    (tmp_path / "Cargo.toml").write_text('[package]\nname = "my-crate"\n')
    paths = ["src/lib.rs", "src/a.rs", "src/b/mod.rs", "src/b/c.rs", "src/bin/tool.rs"]
    assert list(module_paths(paths, tmp_path).values()) == [
        "my_crate",
        "my_crate::a",
        "my_crate::b",
        "my_crate::b::c",
        "tool",
    ]


def test_javascript_paths_lead_to_modules(tmp_path):
    (tmp_path / "tsconfig.json").write_text(
        '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}, /* end */}'
    )
    (tmp_path / "packages" / "ui").mkdir(parents=True)
    (tmp_path / "packages" / "ui" / "package.json").write_text('{"name": "@acme/ui"}')
    modules = frozenset({"src/a", "src/b/index", "packages/ui/src/button"})
    paths = ModulePaths(modules, tmp_path)
    assert paths.resolve("./a", "src/main") == "src/a"
    assert paths.resolve("./a.js", "src/main") == "src/a"
    assert paths.resolve("../b", "src/x/main") == "src/b/index"
    assert paths.resolve("@/a", "anything") == "src/a"
    assert paths.resolve("@acme/ui/button", "src/a") == "packages/ui/src/button"
    assert paths.resolve("react", "src/a") is None


def test_python_names_start_below_folders_that_cannot_be_imported(tmp_path):
    paths = ["services/user-api/app/db.py", "fastapi-0.115.0/src/main.py", "a/b.py"]
    names = module_names(paths, tmp_path)
    assert list(names.values()) == ["app.db", "main", "a.b"]


@pytest.mark.parametrize("piece", ["/* ", '"\\', '/*"', "// \r", ", "])
def test_a_manifest_with_comments_that_do_not_end_is_read_in_linear_time(
    tmp_path, piece
):
    (tmp_path / "tsconfig.json").write_text(piece * 100_000)
    started = time.process_time()
    ModulePaths(frozenset(), tmp_path)
    assert time.process_time() - started < 1
