# Everything a newcomer needs: `make demo` does the main job, `make test` proves it.
# Only python3 with venv and make are assumed; a C compiler makes chunking faster.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH_VENV := .venv-bench
BENCH_READY := $(BENCH_VENV)/.ready
FRAMEWORKS_VENV := .venv-frameworks
FRAMEWORKS_BIN := $(FRAMEWORKS_VENV)/bin
FRAMEWORKS_READY := $(FRAMEWORKS_VENV)/.ready
FRAMEWORKS_MARK ?= not full
CLUSTER_VENV := .venv-cluster
CLUSTER_READY := $(CLUSTER_VENV)/.ready
STORES_VENV := .venv-stores
STORES_READY := $(STORES_VENV)/.ready
MODELS_VENV := .venv-models
MODELS_READY := $(MODELS_VENV)/.ready
DIFY_VENV := .venv-dify
DIFY_READY := $(DIFY_VENV)/.ready
# The plugin's kit needs Python 3.12: the first that works, or nothing.
DIFY_PYTHON ?= $(firstword $(shell for python in python3.12 python3.13 python3.14 python3 \
  $(HOME)/.pyenv/versions/3.1[2-9]*/bin/python3; do "$$python" -c \
  'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && echo "$$python"; done))
WORKERS ?= 2
# Files go to a worker as a whole: what their tests share is made once.
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile
# Tests start the command hundreds of times: its modules are compiled once.
unexport PYTHONDONTWRITEBYTECODE
MINUTES ?= 10
GROUPS ?= build/ranking
LEARNED_KINDS ?= mention
FUZZ_SPECS := build/fuzz/specs/.ready

.DEFAULT_GOAL := help
.PHONY: help setup setup-browser demo test test-full test-frameworks test-cluster test-stores test-models test-dify test-install check format docs reference dist changelog bench-markdown bench-hierarchy bench-tokens fuzz train lexicon rank clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

setup: $(READY) ## make .venv with everything the commands below need

NATIVE := hatch_build.py $(wildcard native/*/*.[ch])

# The stamp is older than one of these exactly when a dependency may have changed, or the
# modules in C, which an editable install compiles.
$(READY): pyproject.toml $(NATIVE)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable '.[all]' \
	  --group test --group check --group docs --group release
	@touch $@

# Debian's packages, where the machine has apt and lets us; the tests skip without them.
setup-browser: ## install the Chromium that the tests of the page drive
	@if command -v chromium > /dev/null && command -v chromedriver > /dev/null; then \
	  echo "Chromium and its driver are there"; \
	elif ! command -v apt-get > /dev/null; then \
	  echo "no apt-get here: install chromium and chromedriver in another way" >&2; exit 1; \
	else \
	  as_root=; test "$$(id -u)" = 0 || as_root="sudo -n"; \
	  DEBIAN_FRONTEND=noninteractive; export DEBIAN_FRONTEND; \
	  install="$$as_root apt-get install -qq -y --no-install-recommends chromium chromium-driver"; \
	  $$install > /dev/null || { $$as_root apt-get update -qq && $$install > /dev/null; }; \
	fi

demo: $(READY) ## chunk the project's own documents, index them with the code and ask questions
	@$(BIN)/outcrop chunk README.md docs/concepts/chunking.md --max-size 1000
	@mkdir -p build
	@$(BIN)/outcrop chunk README.md docs/*.md docs/concepts/*.md docs/examples/*.md \
	  --max-size 1000 --format html > build/demo.html
	@echo
	@echo "The same as a page, with the reason at each boundary: open build/demo.html"
	@echo
	@echo "Documents and code in an index, and four questions:"
	@$(BIN)/outcrop index README.md docs src
	@for question in \
	  "When is a table or a code block cut?" \
	  "How do I summarise sections with a language model?" \
	  "What does exit code 3 mean?" \
	  "where is an identifier cut at changes of case"; do \
	  printf '\n? %s\n' "$$question"; \
	  $(BIN)/outcrop search "$$question" --limit 1 || exit; \
	done

check: $(READY) ## formatting, lint, types and layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file benchmarks/mypy.ini --cache-dir .mypy_cache/benchmarks benchmarks
	$(BIN)/lint-imports

# The environments are made at once, as that is mostly waiting; their tests run in turn.
test: check ## everything CI runs
	$(PYTEST) -m "not full"
	@$(MAKE) --no-print-directory -j3 $(FRAMEWORKS_READY) $(CLUSTER_READY) \
	  $(if $(DIFY_PYTHON),$(DIFY_READY))
	@$(MAKE) --no-print-directory test-frameworks test-cluster test-dify

test-full: check ## the long counts too, and new examples for the property tests
	OUTCROP_NEW_EXAMPLES=1 $(PYTEST)
	@$(MAKE) --no-print-directory test-install test-frameworks test-cluster test-stores test-models test-dify FRAMEWORKS_MARK=

# The three frameworks together, apart from what the project itself needs.
$(FRAMEWORKS_READY): pyproject.toml
	$(PYTHON) -m venv $(FRAMEWORKS_VENV)
	$(FRAMEWORKS_BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(FRAMEWORKS_BIN)/python -m pip install --quiet --group frameworks \
	  --editable '.[code,embed,haystack,langchain,llamaindex,store,tokens]'
	@touch $@

HOWTO := tests/docs/test_docs.py::test_every_block_works_as_shown[docs/howto
test-frameworks: $(FRAMEWORKS_READY) ## the adapters and their pages, with the real frameworks
	$(FRAMEWORKS_BIN)/mypy --cache-dir .mypy_cache/frameworks src/outcrop/adapters
	$(FRAMEWORKS_BIN)/python -m pytest -m '$(FRAMEWORKS_MARK)' tests/frameworks '$(HOWTO)/langchain.md]' \
	  '$(HOWTO)/llamaindex.md]' '$(HOWTO)/haystack.md]'

# Daft and Ray, which allow other versions of some libraries than the project has.
$(CLUSTER_READY): pyproject.toml
	$(PYTHON) -m venv $(CLUSTER_VENV)
	$(CLUSTER_VENV)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(CLUSTER_VENV)/bin/python -m pip install --quiet --group cluster \
	  --editable '.[cluster,code,embed,store,tokens]'
	@touch $@

test-cluster: $(CLUSTER_READY) ## indexing by Daft, and on a Ray cluster of two nodes
	$(CLUSTER_VENV)/bin/python -m pytest -m '$(FRAMEWORKS_MARK)' tests/cluster

# The stores that chunks are exported to, apart from what the project itself needs.
$(STORES_READY): pyproject.toml
	$(PYTHON) -m venv $(STORES_VENV)
	$(STORES_VENV)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(STORES_VENV)/bin/python -m pip install --quiet --group stores \
	  --editable '.[arrow,chroma,embed,qdrant,store,tokens]'
	@touch $@

test-stores: $(STORES_READY) ## exports into the real stores of others
	$(STORES_VENV)/bin/python -m pytest tests/stores

# Libraries that run models, PyTorch among them: some gigabytes.
$(MODELS_READY): pyproject.toml
	$(PYTHON) -m venv $(MODELS_VENV)
	$(MODELS_VENV)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(MODELS_VENV)/bin/python -m pip install --quiet --group models \
	  --editable '.[embed,fastembed,model2vec,sentence-transformers,store,tokens]'
	@touch $@

test-models: $(MODELS_READY) ## embedders and rerankers with the real libraries, on small models
	$(MODELS_VENV)/bin/python -m pytest tests/models

# Importing the kit replaces sockets, so it shares an environment with nothing.
$(DIFY_READY): pyproject.toml plugins/dify/pyproject.toml
	$(DIFY_PYTHON) -m venv $(DIFY_VENV)
	$(DIFY_VENV)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(DIFY_VENV)/bin/python -m pip install --quiet --editable . --group plugins/dify/pyproject.toml:test
	@touch $@

test-dify: ## the Dify plugin inside its kit, where there is a Python 3.12
	@if [ -n "$(DIFY_PYTHON)" ]; then \
	  $(MAKE) --no-print-directory $(DIFY_READY) && \
	  $(DIFY_VENV)/bin/python -m pytest plugins/dify; \
	else \
	  echo "the Dify plugin is not tested in its kit: there is no Python 3.12 or later"; \
	fi

# The chunkers we are compared with: they never enter the environment of the project.
$(BENCH_READY): pyproject.toml
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BENCH_VENV)/bin/python -m pip install --quiet --group bench
	@touch $@

bench-markdown: $(READY) $(BENCH_READY) ## speed, growth, memory and defects beside other chunkers; ARGS='--help'
	$(BIN)/python benchmarks/markdown.py $(ARGS)

bench-hierarchy: $(READY) ## time and size of a document's tree beside its flat chunks; ARGS='--help'
	$(BIN)/python benchmarks/hierarchy.py $(ARGS)

bench-tokens: $(READY) ## token counts, chunking by tokens, sections and the local embedder
	$(BIN)/python benchmarks/tokens.py $(ARGS)

# The source archive of a parser whose tests hold the examples of CommonMark and GFM.
$(FUZZ_SPECS): | $(READY)
	@mkdir -p $(@D)
	@if $(BIN)/python -m pip download --quiet --no-deps --no-binary marko --dest $(@D) marko==2.2.4; \
	  then touch $@; else echo "no examples of the specifications: the download failed"; fi

rank: $(READY) ## learn the weights of the ranking from GROUPS; training/ranking/README.md
	$(BIN)/python -m pip install --quiet scipy
	$(BIN)/python -m training.ranking.extract $(GROUPS)
	$(BIN)/python -m training.ranking.learn $(GROUPS) --only $(LEARNED_KINDS) \
	  --out src/outcrop/search/weights.json

fuzz: $(READY) $(FUZZ_SPECS) ## look for documents that break a promise; MINUTES, WORKERS, SEED, REPLAY=FILE, ARGS='--help'
	PYTHONPATH=tests $(BIN)/python -m fuzz --minutes $(MINUTES) --workers $(WORKERS) \
	  $(if $(SEED),--seed $(SEED)) $(if $(REPLAY),--replay $(REPLAY)) $(ARGS)

docs: $(READY) ## build the documentation site in build/site; a broken link fails
	$(BIN)/python -m website build

reference: $(READY) ## write the reference pages that are made from the code
	$(BIN)/python -m website reference

dist: $(READY) ## build the source archive and the wheel in dist, and try them
	rm -rf dist
	$(BIN)/python -m hatchling build -d dist
	$(PYTEST) -m "not full" tests/release

test-install: $(READY) ## install the archives with pip, pipx and uv, on every Python of this machine
	OUTCROP_TEST_INSTALL=1 $(BIN)/python -m pytest -n $(WORKERS) tests/release/test_install.py

changelog: $(READY) ## move the entries of changelog.d into CHANGELOG.md, before a release
	$(BIN)/python -m website changelog

# Downloads some gigabytes and takes hours; EVALUATION=FOLDER names texts to leave out.
# A trial with few packages: PACKAGES=LIST BATCH=512 WEIGHTS=FOLDER.
TRAINING := build/training
PACKAGES ?= training/packages.tsv
BATCH ?= 16384
WEIGHTS ?= src/outcrop/providers/weights
train: $(READY) ## make the table of the local embedder from packages; see training/README.md
	$(BIN)/python -m pip install --quiet --group train
	$(BIN)/python -m training.fetch $(PACKAGES) --out $(TRAINING)/packages
	$(BIN)/python -m training.make_pairs $(TRAINING)/packages/* --out $(TRAINING)/pairs.jsonl.gz \
	  $(if $(EVALUATION),--exclude $(EVALUATION)) --workers $(WORKERS)
	$(BIN)/python -m training.vocabulary $(TRAINING)/pairs.jsonl.gz --workers $(WORKERS) \
	  --out $(TRAINING)/vocabulary.json
	$(BIN)/python -m training.encode $(TRAINING)/pairs.jsonl.gz --workers $(WORKERS) \
	  --vocabulary $(TRAINING)/vocabulary.json --out $(TRAINING)/encoded
	$(BIN)/python -m training.train $(TRAINING)/encoded --batch $(BATCH) --out $(TRAINING)/weights
	$(BIN)/python -m training.export $(TRAINING)/weights $(TRAINING)/vocabulary.json \
	  --out $(WEIGHTS)
	@$(MAKE) --no-print-directory lexicon

# Another trial: LEXICON_PACKAGES=LIST WEIGHTS=FOLDER.
LEXICON_PACKAGES ?= training/lexicon.tsv
lexicon: $(READY) ## make the tables that questions are translated with; see training/README.md
	$(BIN)/python -m training.fetch $(LEXICON_PACKAGES) --out $(TRAINING)/messages
	$(BIN)/python -m training.lexicon $(TRAINING)/messages/* --workers $(WORKERS) \
	  $(if $(EVALUATION),--exclude $(EVALUATION)) --out $(WEIGHTS)/lexicon

format: $(READY) ## rewrite the code in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## remove what the commands above made
	rm -rf $(VENV) .venv-* build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .outcrop
