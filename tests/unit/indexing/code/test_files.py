"""Documents of files of code."""

from outcrop.codegraph import build
from outcrop.indexing.code.files import CodeFiles
from outcrop.indexing.code.tasks import CodeTask, pack_facts
from outcrop.indexing.config import IndexConfig
from outcrop.pipeline.extract_snippet import extract
from outcrop.planning.plans import planned_chunk
from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.text.tokens import TokenCounter

TEXT = '''"""A shop."""


class Shop:
    """Sells things."""

    def sell(self, thing):
        # Prüft den Preis.
        return check(thing)


def long():
''' + "".join(f"    step_{n} = check({n})\n" for n in range(90))


class EmptyStore:
    """A store without chunks."""

    def chunk_states(self, _paths):
        return {}


def test_the_text_of_a_plan_is_what_the_first_stage_would_read(tmp_path):
    (tmp_path / "shop.py").write_text(TEXT)
    graph = build(tmp_path, "shop", workers=1)
    config = IndexConfig(max_code_tokens=200)
    files = CodeFiles(EmptyStore(), LocalEmbedder(), config)
    task = CodeTask(
        application="shop",
        path="shop.py",
        lang="python",
        text=TEXT,
        digest="digest",
        facts=pack_facts(graph, graph.nodes, TEXT),
    )
    (prepared,) = files.prepare([task])

    planner = config.planner({"shop.py": TEXT}.get)
    plans = planner.plan("shop.py", "python", graph.nodes)
    count = TokenCounter(config.encoding)
    assert any(plan.prefix for plan in plans)
    assert len(plans) == len(prepared.chunks) > 3
    for plan, chunk in zip(plans, prepared.chunks, strict=True):
        read = extract(planned_chunk(plan, "shop"), TEXT, count).values
        assert {name: getattr(chunk, name) for name in read} == read
        assert chunk.pipeline["done"] == chunk.pipeline["stages"]
