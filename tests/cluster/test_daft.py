"""Indexing by a dataflow of Daft in one process."""

from __future__ import annotations

import logging

import pytest

pytest.importorskip("daft", reason="needs the extra cluster")

import boto3
from click.testing import CliRunner
from moto.server import ThreadedMotoServer

from integration.indexing.states import state_of
from outcrop import process_pool
from outcrop.cli.main import main
from outcrop.errors import ConfigError, InputError
from outcrop.indexing.cluster.engine import Engine, check_address
from outcrop.indexing.cluster.sources import Sources
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.sharded import ShardedIndex

POISON = """
import os
import outcrop.indexing.documents.prepare as files
from outcrop import process_pool
real = files.prepare_bytes

def prepare(task, data, config):
    if task.path.endswith("poison.md"):
        os._exit(3)
    return real(task, data, config)

files.prepare_bytes = prepare
process_pool.main()
"""


@pytest.fixture
def engine():
    with Engine.open("daft") as opened:
        yield opened


@pytest.fixture(scope="module")
def storage():
    """Start an S3 server on the loopback interface; return a client."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host}:{port}"
    given = {
        "AWS_ENDPOINT_URL": address,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "a-secret-of-storage",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in given.items():
            patch.setenv(name, value)
        yield boto3.client("s3", endpoint_url=address)
    server.stop()


@pytest.fixture
def bucket(storage, project):
    """Copy the project into a bucket; return its client and name."""
    name = f"docs-{project.parent.name.replace('_', '-')[-40:]}".lower()
    storage.create_bucket(Bucket=name)
    for file in project.rglob("*"):
        if file.is_file():
            key = file.relative_to(project).as_posix()
            storage.put_object(Bucket=name, Key=key, Body=file.read_bytes())
    return storage, name


def test_it_stores_what_one_process_stores(open_index, engine):
    plain, flow = open_index(), open_index()
    plain.index()
    report = flow.index(engine=engine)
    assert report.problems == []
    assert report.graph.nodes > 0
    assert state_of(flow) == state_of(plain)


def test_a_second_run_writes_only_what_changed(open_index, project, engine):
    index = open_index()
    index.index(engine=engine)
    before = state_of(index, with_rows=True)
    report = index.index(engine=engine)
    assert (report.wrote, report.unchanged) == (False, len(before["documents"]))
    assert state_of(index, with_rows=True) == before
    (project / "letter.md").unlink()
    (project / "http-client.md").write_text("# Outline\n\nThere is one part.\n")
    (project / "new.md").write_text("# New\n\nIt is new.\n")
    report = index.index(engine=engine)
    assert (report.added, report.changed) == (["new.md"], ["http-client.md"])
    assert report.removed == ["letter.md"]
    plain = open_index()
    plain.index()
    assert state_of(index) == state_of(plain)


def test_a_dry_run_says_the_same_and_writes_nothing(open_index, project, engine):
    index = open_index()
    index.index(engine=engine)
    (project / "http-client.md").write_text("# Outline\n\nThere is one part.\n")
    before = state_of(index, with_rows=True)
    report = index.index(engine=engine, dry_run=True)
    assert report.changed == ["http-client.md"]
    assert state_of(index, with_rows=True) == before


def test_files_that_cannot_be_indexed_are_named(open_index, project, engine):
    (project / "binary.md").write_bytes(b"a\0b")
    (project / "latin.md").write_bytes("café".encode("latin-1"))
    index = open_index()
    report = index.index(engine=engine)
    found = {problem.path: problem.reason for problem in report.problems}
    assert found == {"binary.md": "binary", "latin.md": "not UTF-8"}
    (project / "http-client.md").write_bytes(b"a\0b")
    report = index.index(engine=engine)
    assert report.removed == ["http-client.md"]


def test_a_document_that_ends_its_worker_is_named_and_the_others_are_stored(
    open_index, project, engine, monkeypatch
):
    (project / "poison.md").write_text("# Poison\n")
    monkeypatch.setattr(process_pool, "_COMMAND", POISON)
    index = open_index()
    report = index.index(engine=engine)
    (problem,) = report.problems
    assert problem.path == "poison.md"
    assert problem.reason == "ended its worker process (exit status 3)"
    (project / "poison.md").unlink()
    plain = open_index()
    plain.index()
    assert state_of(index) == state_of(plain)


def test_a_glob_selects_files_and_deletes_only_what_it_selects(
    open_index, project, engine
):
    index = open_index()
    report = index.index("**/*.md", engine=engine)
    everything = {f.relative_to(project).as_posix() for f in project.rglob("*.md")}
    assert set(report.added) == everything
    for name in ("letter.md", "guides/onsen.md"):
        (project / name).unlink(missing_ok=True)
    report = index.index("guides/*.md", engine=engine)
    assert all(path.startswith("guides/") for path in report.removed)
    assert "letter.md" in {document.path for document in index.documents()}


def test_a_name_with_brackets_is_a_file_where_there_is_one(project):
    (project / "[slug].md").write_text("# Slug\n")
    sources = Sources.read(["[slug].md", "[a-z]*.md"], project)
    assert sources.roots == [project / "[slug].md"]
    assert sources.patterns == [f"{project}/[a-z]*.md"]


def _places(index, prefix=""):
    """Return where the chunks of an index are, and what they hold."""
    return {
        (chunk.path.removeprefix(prefix), chunk.content, chunk.start_offset)
        for document in index.documents()
        for chunk in index.store.chunks_of(document.path)
    }


def _graph(index, prefix=""):
    """Return the nodes and edges of an index, without its application's name."""
    with index.database.read() as connection:
        nodes = connection.execute(
            "SELECT id, kind, fqn, file_path, start_offset, source_code FROM nodes"
        ).fetchall()
        edges = connection.execute(
            "SELECT src, kind, dst FROM edges WHERE kind <> 'MENTIONS'"
        ).fetchall()
    names = {key: (kind, name) for key, kind, name, *_ in nodes}
    placed = [(*n[1:3], (n[3] or "").removeprefix(prefix), *n[4:]) for n in nodes]
    linked = [(names.get(s, s), kind, names.get(d, d)) for s, kind, d in edges]
    return sorted(placed, key=repr), sorted(linked, key=repr)


def test_object_storage_becomes_the_same_chunks_and_graph(open_index, bucket, engine):
    _, name = bucket
    plain, remote = open_index(), open_index()
    plain.index()
    report = remote.index(f"s3://{name}", engine=engine)
    assert report.problems == []
    assert report.graph.nodes > 0
    prefix = f"s3://{name}/"
    assert _graph(remote, prefix) == _graph(plain)
    assert _places(remote, prefix) == _places(plain)
    assert remote.search("harbour")[0].path.startswith(prefix)


def test_code_in_object_storage_follows_its_changes(open_index, bucket, engine):
    storage, name = bucket
    index, clean = open_index(), open_index()
    root = f"s3://{name}"
    index.index(root, engine=engine)
    assert not index.index(root, engine=engine).wrote
    storage.put_object(Bucket=name, Key="more/new.py", Body=b"def added():\n    pass\n")
    gone = next(d.path for d in index.documents() if d.path.endswith(".py"))
    storage.delete_object(Bucket=name, Key=gone.removeprefix(f"{root}/"))
    report = index.index(root, engine=engine)
    assert (report.added, report.removed) == ([f"{root}/more/new.py"], [gone])
    clean.index(root, engine=engine)
    assert state_of(index) == state_of(clean)


def test_a_run_over_the_folder_leaves_code_in_object_storage_alone(
    open_index, bucket, project, engine
):
    _, name = bucket
    index = open_index()
    index.index(f"s3://{name}", engine=engine)
    before = _graph(index)
    documents = {document.path for document in index.documents()}
    (project / "only_here.py").write_text("def here():\n    pass\n")
    for using in ({}, {"engine": engine}):
        (project / "only_here.py").write_text(f"def here{len(using)}():\n    pass\n")
        report = index.index("only_here.py", **using)
        assert report.removed == []
        assert documents <= {document.path for document in index.documents()}
        assert {repr(node) for node in before[0]} <= set(map(repr, _graph(index)[0]))


def test_code_with_a_key_that_leaves_its_folder_is_skipped(open_index, bucket, engine):
    storage, name = bucket
    for key in ("tea/../../escape.py", "tea/./dot.py"):
        storage.put_object(Bucket=name, Key=key, Body=b"def escaped():\n    pass\n")
    index = open_index()
    report = index.index(f"s3://{name}/tea", engine=engine)
    assert report.skipped["unsafe names"] == 2
    assert report.problems == []
    paths = [document.path for document in index.documents()]
    assert paths
    assert not [path for path in paths if "/." in path]


def test_code_that_cannot_be_copied_is_named_and_the_documents_are_stored(
    open_index, bucket, engine
):
    storage, name = bucket
    for key in ("tea/both.py", "tea/both.py/in.py"):
        storage.put_object(Bucket=name, Key=key, Body=b"def both():\n    pass\n")
    index = open_index()
    report = index.index(f"s3://{name}", engine=engine)
    (problem,) = report.problems
    assert problem.path == name
    assert "is an object and also a folder of objects" in problem.reason
    assert report.graph.nodes == 0
    kinds = {document.path.rpartition(".")[2] for document in index.documents()}
    assert kinds == {"md"}
    storage.delete_object(Bucket=name, Key="tea/both.py/in.py")
    assert index.index(f"s3://{name}", engine=engine).graph.nodes > 0


def test_object_storage_is_compared_and_what_vanished_is_deleted(
    open_index, bucket, engine
):
    storage, name = bucket
    index = open_index()
    root = f"s3://{name}"
    storage.put_object(Bucket=name, Key="secrets.txt", Body=b"# Do not read\n")
    storage.put_object(Bucket=name, Key="binary.md", Body=b"a\0b")
    report = index.index(root, engine=engine)
    assert report.secrets == [f"{root}/secrets.txt"]
    assert [p.path for p in report.problems] == [f"{root}/binary.md"]
    storage.delete_object(Bucket=name, Key="letter.md")
    storage.put_object(Bucket=name, Key="http-client.md", Body=b"# Ports\n\nOne.\n")
    report = index.index(f"{root}/*.md", engine=engine)
    assert (report.added, report.changed) == ([], [f"{root}/http-client.md"])
    assert report.removed == [f"{root}/letter.md"]


def test_a_run_over_the_folder_leaves_object_storage_alone(open_index, bucket, engine):
    _, name = bucket
    index = open_index()
    index.index(f"s3://{name}/guides", engine=engine)
    before = {document.path for document in index.documents()}
    assert index.changed_documents(list(before)) == []
    assert index.indexed_paths() == []
    changed = index.compare()
    assert changed is not None
    assert changed.total == 0
    report = index.index()
    assert report.removed == []
    assert before <= {document.path for document in index.documents()}


def test_storage_that_cannot_be_read_is_an_error_and_deletes_nothing(
    open_index, bucket, engine
):
    _, name = bucket
    index = open_index()
    index.index(f"s3://{name}/guides", engine=engine)
    with pytest.raises(InputError, match=r"there is no object|cannot be read"):
        index.index("s3://no-such-bucket-anywhere/docs", engine=engine)
    assert len(index.documents()) > 0


def test_several_databases_hold_what_one_holds(open_index, make_url, project, engine):
    plain = open_index()
    plain.index()
    urls = [make_url(), make_url()]
    config = IndexConfig(workers=1)
    with ShardedIndex.open(urls, project, config=config) as several:
        several.index(engine=engine)
        assert [d.path for d in several.documents()] == [
            d.path for d in plain.documents()
        ]
        hits = several.search("how do I pour a cup?")
    assert hits


def test_a_cluster_elsewhere_needs_a_database_that_it_can_reach(monkeypatch):
    with pytest.raises(ConfigError, match="OUTCROP_DATABASE_URL"):
        check_address("head.example:6379", None)
    with pytest.raises(ConfigError, match="OUTCROP_DATABASE_URL"):
        check_address("ray://head.example:10001", None)
    check_address("head.example:6379", "postgresql://server/database")
    check_address("127.0.0.1:6379", None)
    check_address(None, None)
    monkeypatch.setenv("RAY_ADDRESS", "head.example:6379")
    with pytest.raises(ConfigError, match=r"head\.example"):
        check_address(None, None)


def test_the_command_indexes_by_daft(make_url, project):
    url = make_url()
    command = ["index", str(project), "--database-url", url, "--engine", "daft"]
    result = CliRunner().invoke(main, [*command, "--project", str(project)])
    assert result.exit_code == 0, result.output
    assert " added, 0 changed, 0 removed" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["s3://bucket/docs"], "is in object storage; add --engine"),
        (["--address", "127.0.0.1:1"], "add --engine ray"),
        (["--engine", "daft", "--watch"], "cannot be used together"),
        (["--engine", "ray", "--address", "head:1"], "OUTCROP_DATABASE_URL"),
    ],
)
def test_options_that_do_not_fit_are_explained(tmp_path, arguments, message):
    command = ["index", *arguments, "--project", str(tmp_path)]
    result = CliRunner().invoke(main, command, env={"OUTCROP_DATABASE_URL": None})
    assert result.exit_code != 0
    assert message in result.output
