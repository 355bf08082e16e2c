"""Building code with the real stages: complete, and the same however it comes about."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import replace

import pytest

from integration.pipeline.planned import QUICK, leftovers
from integration.pipeline.projects import (
    FILES,
    build,
    builder,
    contents,
    frequencies,
    is_finished,
    real_worker,
    start,
    write_project,
)
from integration.providers.endpoint_server import Answer
from outcrop.errors import ConfigError, InputError
from outcrop.indexing.code.build_options import BuildOptions
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index
from outcrop.pipeline.extract_snippet import ExtractSnippet
from outcrop.pipeline.jobs.open_worker import open_worker
from outcrop.pipeline.jobs.queue import ensure_tables
from outcrop.pipeline.stage import STAGES
from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.providers.openai_models import OpenAIChatModel, OpenAIEmbedder
from outcrop.store.database import Database
from outcrop.store.store import PostgresStore


@pytest.fixture(params=["embedded"])
def target(request):
    """One kind of server: what differs between them is tested elsewhere."""
    return request.getfixturevalue("embedded_project")


@pytest.fixture
def project(tmp_path):
    return write_project(tmp_path)


def run_of(database, run_id):
    return PostgresStore(database).get_run(run_id)


def test_a_build_gives_what_indexing_gives(database, project, target, schema):
    build(database, project)
    built = contents(database)
    other = f"{schema}_b"
    with Database.open(target, schema=other) as second:
        try:
            config = IndexConfig(workers=1)
            index = Index(second, project, embedder=LocalEmbedder(), config=config)
            index.store.put_application("tea", {"root": "."})
            index.index(".")
            assert contents(second) == built
            assert frequencies(second) == frequencies(database)
        finally:
            with second.write() as connection:
                connection.execute(f"DROP SCHEMA {other} CASCADE")
    assert {chunk["path"] for chunk in built} == set(FILES)
    assert all(is_finished(chunk) for chunk in built)


def test_a_build_makes_an_earlier_graph_out_of_date(database, project):
    config = IndexConfig(workers=1)
    index = Index(database, project, embedder=LocalEmbedder(), config=config)
    index.build_graph(application="tea")
    (project / "tea/cup.py").write_text("def wash(cup): ...\n")
    start(database, project)
    (project / "tea/cup.py").write_text(FILES["tea/cup.py"])
    report = index.build_graph(application="tea")
    assert not report.unchanged
    assert index.symbol("tea.cup.check_cup").node.line_start == 1


def test_all_text_of_every_file_is_in_a_chunk(database, project):
    build(database, project)
    found = dict.fromkeys(FILES, "")
    for chunk in contents(database):
        found[chunk["path"]] += f" {chunk['content_raw'] or chunk['content']}"
    for path, text in FILES.items():
        assert sorted(found[path].split()) == sorted(text.split())


def test_nodes_by_themselves_have_documentation_or_code(database, project):
    run_id = build(database, project, strategy="per-node")
    chunks = contents(database)
    assert all(is_finished(chunk) for chunk in chunks)
    kinds = {chunk["title"]: (chunk["source"], chunk["kind"]) for chunk in chunks}
    assert kinds["tea.cup.wash"] == ("doc", "explanation")
    assert kinds["tea.pot"] == ("doc", "explanation")
    assert kinds["tea.cup"] == ("code", "snippet")
    stages = run_of(database, run_id).statistics["stages"]
    assert stages["embed"]["done"] == len(chunks)
    assert 0 < stages["render-doc"]["done"] < len(chunks)


def test_a_second_build_has_nothing_to_do(database, project):
    build(database, project)
    before = contents(database)
    again = start(database, project)
    assert (again.planned.written_chunks, again.standing.open) == (0, 0)
    assert run_of(database, again.run_id).state == "done"
    assert contents(database) == before


def test_a_change_is_all_that_is_done_again(database, project):
    build(database, project)
    file = project / "tea" / "cup.py"
    file.write_text(file.read_text().replace("cup, 9", "cup, 7"))
    again = start(database, project)
    assert again.planned.written_chunks == 1
    real_worker(database, project).run(run_id=again.run_id)
    incremental = contents(database)
    PostgresStore(database).delete_documents(list(FILES))
    build(database, project)
    assert contents(database) == incremental


def test_what_was_indexed_need_not_be_built(database, project):
    config = IndexConfig(workers=1)
    index = Index(database, project, embedder=LocalEmbedder(), config=config)
    index.index(".")
    before = contents(database)
    built = start(database, project, application=None)
    assert (built.planned.written_chunks, built.standing.open) == (0, 0)
    assert contents(database) == before
    index.index(".")
    assert contents(database) == before


def test_indexing_while_a_run_goes_on_does_no_harm(database, project):
    config = IndexConfig(workers=1)
    index = Index(database, project, embedder=LocalEmbedder(), config=config)
    meanwhile = threading.Event()

    class Overtaken(type(STAGES["summarize"])):
        def run(self, batch, context):
            if not meanwhile.is_set():
                meanwhile.set()
                index.index(".")
            return super().run(batch, context)

    run_id = start(database, project).run_id
    stages = {**STAGES, "summarize": Overtaken()}
    real_worker(database, project, stages=stages).run(run_id=run_id)
    assert run_of(database, run_id).errors == []
    found = contents(database)
    assert all(sorted(chunk["done"]) == sorted(chunk["stages"]) for chunk in found)
    PostgresStore(database).delete_documents(list(FILES))
    build(database, project)
    assert [{**chunk, "done": None} for chunk in contents(database)] == [
        {**chunk, "done": None} for chunk in found
    ]


def test_a_run_whose_planning_was_killed_is_seen_as_failed(database, project):
    ensure_tables(database)
    store = PostgresStore(database)
    killed = store.create_run("chunk-build", parameters={"host": "here"})
    build(database, project)
    run = store.get_run(killed.id)
    assert run.state == "failed"
    assert "ended before it was done" in run.error


def test_kinds_and_a_limit_restrict_what_is_planned(database, project):
    run_id = build(database, project, strategy="per-node", kinds=("class", "nonsense"))
    assert [chunk["title"] for chunk in contents(database)] == ["tea.pot.Pot"]
    assert "ignored unknown kinds NONSENSE" in str(
        run_of(database, run_id).statistics["notes"]
    )
    few = start(database, project, strategy="per-node", limit=2)
    assert few.planned.processed_nodes == 2


def test_code_outside_the_project_is_an_application_of_its_own(
    database, project, tmp_path_factory
):
    outside = tmp_path_factory.mktemp("lib")
    (outside / "kettle.py").write_text("def boil():\n    return 100\n")
    build(database, project)
    built = builder(database, project).start([outside], BuildOptions())
    assert built.application == outside.name
    (outside / "kettle.py").write_text("def boil():\n    return 99\n")
    real_worker(database, project).run(run_id=built.run_id)
    found = {chunk["path"]: chunk["content"] for chunk in contents(database)}
    assert found[f"{outside}/kettle.py"] == "def boil():\n    return 99"
    assert set(FILES) < set(found)


def test_a_project_that_is_elsewhere_by_now_is_planned_again(
    database, project, tmp_path_factory
):
    run_id = start(database, project).run_id
    moved = tmp_path_factory.mktemp("moved") / "project"
    project.rename(moved)
    file = moved / "tea" / "cup.py"
    file.write_text(file.read_text().replace("cup, 9", "cup, 8"))
    real_worker(database, moved).run(run_id=run_id)
    run = run_of(database, run_id)
    assert (run.state, run.statistics["replanned"]) == ("done", 1)
    assert any("cup, 8" in chunk["content"] for chunk in contents(database))


def test_a_dry_run_writes_nothing(database, project):
    planned = builder(database, project).dry_run([project], BuildOptions()).planned
    assert planned.processed_nodes > 10
    assert planned.skipped_chunks > 3
    store = PostgresStore(database)
    assert (store.documents(), store.applications(), store.runs()) == ([], [], [])


def test_a_strategy_that_is_not_there_is_refused(database, project):
    with pytest.raises(ConfigError, match="choose one of: per-node, adaptive"):
        start(database, project, strategy="magic")
    assert PostgresStore(database).runs() == []


def test_a_folder_without_code_is_refused(database, tmp_path):
    with pytest.raises(InputError, match="there is no code in"):
        start(database, tmp_path)


def test_another_name_for_the_same_code_is_refused(database, project):
    start(database, project)
    with pytest.raises(InputError, match="is application 'tea' in this index"):
        start(database, project, application="coffee")


def test_a_file_that_changed_meanwhile_is_planned_again(database, project):
    run_id = start(database, project).run_id
    file = project / "tea" / "pot.py"
    file.write_text("# A new first line.\n" + file.read_text().replace("steep", "brew"))
    real_worker(database, project).run(run_id=run_id)
    run = run_of(database, run_id)
    assert (run.state, run.errors) == ("done", [])
    assert run.statistics["replanned"] == 1
    found = contents(database)
    build(database, project)
    assert contents(database) == found
    assert any("brew" in chunk["content"] for chunk in found)
    assert leftovers(database) == [0, 0, 0]


def test_a_file_that_was_deleted_meanwhile_leaves_nothing(database, project):
    run_id = start(database, project).run_id
    (project / "tea" / "cup.py").unlink()
    real_worker(database, project).run(run_id=run_id)
    run = run_of(database, run_id)
    assert (run.state, run.errors) == ("done", [])
    assert {chunk["path"] for chunk in contents(database)} == {
        "tea/pot.py",
        "web/brew.ts",
        "web/style.css",
    }
    paths = [document.path for document in PostgresStore(database).documents()]
    assert paths == ["tea/pot.py", "web/brew.ts", "web/style.css"]


def test_a_project_that_was_deleted_meanwhile_leaves_nothing(database, project):
    run_id = start(database, project).run_id
    for path in FILES:
        (project / path).unlink()
    real_worker(database, project).run(run_id=run_id)
    assert run_of(database, run_id).state == "done"
    assert contents(database) == []


def test_a_file_that_never_holds_still_is_a_failure(database, project):
    class Restless(ExtractSnippet):
        def run(self, batch, context):
            file = project / "tea" / "pot.py"
            file.write_text(f"# again\n{file.read_text()}")
            return super().run(batch, context)

    run_id = start(database, project).run_id
    stages = {**STAGES, "extract-snippet": Restless()}
    real_worker(database, project, stages=stages).run(run_id=run_id)
    run = run_of(database, run_id)
    assert run.state == "done"
    assert run.statistics["replanned"] == 5
    assert "has changed since it was planned" in run.errors[0]["message"]
    assert run.errors[0]["path"] == "tea/pot.py"
    assert all(is_finished(c) for c in contents(database) if c["path"] != "tea/pot.py")


def test_what_is_planned_anew_while_a_stage_runs_starts_afresh(database, project):
    """The other build has written its plans, but not yet taken the chunks over."""
    file = project / "tea" / "cup.py"
    interrupted = threading.Event()

    class Overtaken(type(STAGES["embed"])):
        def run(self, batch, context):
            paths = {chunk.path for chunk in batch}
            if not interrupted.is_set() and "tea/cup.py" in paths:
                interrupted.set()
                file.write_text(file.read_text().replace("cup, 9", "cup, 5"))
                made = builder(database, project)
                group, changes = made._find([project], "tea")
                made._replace_graph(group, changes)
                made._write_plans(run_id, group, BuildOptions())
            return super().run(batch, context)

    run_id = start(database, project, batch_size=64).run_id
    stages = {**STAGES, "embed": Overtaken()}
    real_worker(database, project, stages=stages).run(run_id=run_id)
    assert interrupted.is_set()
    found = contents(database)
    assert all(is_finished(chunk) for chunk in found)
    build(database, project)
    assert contents(database) == found


def test_a_worker_without_the_files_takes_the_text_from_the_graph(database, project):
    run_id = start(database, project).run_id
    with database.write() as connection:
        connection.execute(
            'UPDATE runs SET parameters = parameters || \'{"host": "elsewhere"}\''
        )
    real_worker(database).run(run_id=run_id)
    run = run_of(database, run_id)
    assert (run.state, run.errors) == ("done", [])
    assert "cannot reach the files" in run.statistics["notes"][0]
    found = contents(database)
    PostgresStore(database).delete_documents(list(FILES))
    build(database, project)
    assert contents(database) == found


def test_changed_files_wait_for_a_worker_that_has_them(database, project):
    run_id = start(database, project).run_id
    file = project / "tea" / "cup.py"
    file.write_text(f"# New.\n{file.read_text()}")
    far = real_worker(database, project)
    far._replan = None
    far.run(until_idle=True)
    run = run_of(database, run_id)
    assert run.state == "running"
    assert run.statistics["chunks"]["stale"] > 0
    real_worker(database, project).run(until_idle=True)
    assert run_of(database, run_id).state == "done"
    assert all(is_finished(chunk) for chunk in contents(database))


def test_a_model_that_fails_half_the_time_explains_everything(
    database, project, server
):
    settings = replace(QUICK, most_tries=12)
    # Each question is answered at the second time of asking.
    asked: set[str] = set()

    def next_answer(text):
        with server.lock:
            is_known = text in asked
            asked.add(text)
        return Answer() if is_known else Answer(status=500, body="no")

    server.next_answer = next_answer
    run_id = start(database, project, summarizer="openai:m").run_id

    def open_model(name):
        return OpenAIChatModel(
            name.partition(":")[2], endpoint=server.endpoint(attempts=1)
        )

    real_worker(database, project, settings, summarizers=open_model).run(run_id=run_id)
    run = run_of(database, run_id)
    assert (run.state, run.errors) == ("done", [])
    chunks = contents(database)
    assert all(chunk["explain_md"].startswith("About ") for chunk in chunks)
    assert {chunk["explain_quality"]["model"] for chunk in chunks} == {"openai:m"}
    assert len(server.requests) == 2 * len(chunks)


def test_documents_are_explained_on_request(database, project, server):
    (project / "guide.md").write_text(
        "# Tea\n\nCall `wash` first. It takes a minute.\n\n## Cups\n\nThree of them.\n"
    )
    config = IndexConfig(workers=1)
    index = Index(database, project, embedder=LocalEmbedder(), config=config)
    index.index(".")
    built = start(database, project, application=None, docs=True)
    real_worker(database, project).run(run_id=built.run_id)
    leaves = [
        c for c in contents(database) if c["path"] == "guide.md" and c["indexable"]
    ]
    assert all(leaf["explain_md"] for leaf in leaves)
    assert {leaf["explain_quality"]["model"] for leaf in leaves} == {"extractive"}
    again = start(database, project, application=None, docs=True)
    assert again.standing.open == 0
    by_model = start(
        database, project, application=None, docs=True, summarizer="openai:m"
    )

    def open_model(name):
        return OpenAIChatModel(name.partition(":")[2], endpoint=server.endpoint())

    real_worker(database, project, summarizers=open_model).run(run_id=by_model.run_id)
    explained = [c for c in contents(database) if c["path"] == "guide.md"]
    assert {c["explain_md"].partition(" ")[0] for c in explained if c["indexable"]} == {
        "About"
    }
    index.index(".")
    assert [c for c in contents(database) if c["path"] == "guide.md"] == explained


def test_documents_alone_can_be_explained(database, tmp_path):
    (tmp_path / "guide.md").write_text("# Tea\n\nThree minutes are enough for it.\n")
    config = IndexConfig(workers=1)
    Index(database, tmp_path, embedder=LocalEmbedder(), config=config).index(".")
    build(database, tmp_path, docs=True)
    (chunk,) = [c for c in contents(database) if c["indexable"]]
    assert chunk["explain_md"] == "Three minutes are enough for it."


def test_an_embedder_that_fails_half_the_time_embeds_everything(
    database, project, server
):
    embedder = OpenAIEmbedder(
        "m", dimension=8, endpoint=server.endpoint(attempts=1), batch_size=4
    )
    server.script = deque([Answer(status=503, body="busy"), Answer()] * 20)
    run_id = start(database, project).run_id
    open_worker(database, embedder, QUICK, folder=project).run(run_id=run_id)
    run = run_of(database, run_id)
    assert (run.state, run.errors) == ("done", [])
    chunks = contents(database)
    assert {chunk["embed_model"] for chunk in chunks} == {embedder.name}
    assert all(is_finished(chunk) for chunk in chunks)


def test_what_a_model_never_explains_is_seen_in_the_run(database, project, server):
    settings = replace(QUICK, most_tries=2)
    server.rules = [("def wash", Answer(status=500, body="never"))]
    run_id = start(
        database, project, summarizer="openai:m", strategy="per-node", kinds=("MODULE",)
    ).run_id

    def open_model(name):
        return OpenAIChatModel(
            name.partition(":")[2], endpoint=server.endpoint(attempts=1)
        )

    real_worker(database, project, settings, summarizers=open_model).run(run_id=run_id)
    run = run_of(database, run_id)
    assert run.state == "done"
    (failure,) = run.errors
    assert (failure["stage"], failure["path"]) == ("summarize", "tea/cup.py")
    assert "answered 500" in failure["message"]
    assert run.statistics["chunks"]["failed"] == 1
