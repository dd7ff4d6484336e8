# Two commands: `make demo` and `make test`. Each sets up what it needs and skips what is done.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test browser engines postgres axe bench peers learn proofs languages docs dist next clean

# Ends on a page: prints its address, opens a browser if there is one; Ctrl-C stops it.
demo: .venv/plain .venv/compiled
	$(BIN)/turnsmith serve $(SERVE)

# The rules of all games and their usual opponents, compiled once: under a minute, and nobody waits for them on the page.
.venv/compiled: .venv/plain
	$(BIN)/turnsmith warm --first
	touch $@

test: .venv/dev browser engines postgres axe
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder --durations 20

# The tests of the web page need a real browser; a Debian or Ubuntu without one gets it.
browser:
	@command -v chromedriver >/dev/null || { \
	  command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] \
	    && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium chromium-driver; } \
	  || { echo "make test needs chromium and chromedriver: apt-get install chromium chromium-driver"; exit 1; }

# Exported players are compiled and run in their own languages; where these cannot be had, the tests say so and read them.
engines:
	@command -v mcs >/dev/null && command -v mono >/dev/null && command -v godot3-server >/dev/null || \
	if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq; \
	  for packages in "mono-mcs mono-runtime" godot3-server; do \
	    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$packages \
	      || echo "no $$packages here: what is exported for it is not run"; \
	  done; \
	else echo "to run what is exported: apt-get install mono-mcs mono-runtime godot3-server"; fi

# The tests of the store also run on PostgreSQL; where it cannot be had, they say so and run on SQLite alone.
postgres:
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || \
	if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq; \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql \
	    || echo "no PostgreSQL here: the store is tested on SQLite alone"; \
	else echo "to test the store on PostgreSQL: apt-get install postgresql"; fi

# Whether everybody can use the pages is judged by axe-core; where npm cannot be had, its test says so and is left out.
axe:
	@command -v npm >/dev/null || \
	if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq; \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends npm || echo "no npm here: no axe-core"; \
	else echo "to judge the pages by axe-core: apt-get install npm"; fi
	@test -d .venv/axe || ! command -v npm >/dev/null || npm install --silent --no-fund --no-audit --prefix .venv/axe axe-core@4.14.0 \
	  || echo "no axe-core here"

bench: .venv/plain
	$(BIN)/turnsmith bench

# What training needs beyond playing; then two minutes of it: a small board, from nothing but its rules.
TINY := connect_four:width=4,height=4,connect=3
learn: .venv/learn
	mkdir -p build
	$(BIN)/turnsmith train alphazero $(TINY) --view features --hidden 64 --games 256 --minutes 2 --folder build/tiny --to build/tiny.onnx
	$(BIN)/turnsmith arena $(TINY) --players alphazero:net=build/tiny.onnx,simulations=24,random --games 400

# What is said of the shipped nets of AlphaZero in docs/explanation/self-play.md, measured again (half an hour).
proofs: .venv/plain
	$(BIN)/python bench/duel.py connect_four zero:simulations=1000 mcts:simulations=34000 --opening 2 --seed 7
	$(BIN)/turnsmith arena pig --players zero:simulations=200,solve --games 4000 --seed 31
	$(BIN)/python bench/regret.py pig zero:simulations=200 --games 400
	$(BIN)/python bench/duel.py trails zero:simulations=64 mcts:simulations=150 --opening 3 --games 402 --seed 7
	$(BIN)/python bench/duel.py trails zero:simulations=64 maxn:depth=9 --opening 3 --games 402 --seed 7

# Side by side with OpenSpiel, pgx and EnvPool, in an environment of their own.
peers: .venv-peers/ready
	.venv-peers/bin/python bench/peers.py --write

# What people read, from the code into the catalogues of src/turnsmith/languages; says what lacks a translation.
languages: .venv/dev
	$(BIN)/python tools/catalogues.py

# The site, to be opened from a file or served by anything: build/docs/index.html. A warning is an error.
docs: .venv/docs
	$(BIN)/sphinx-build -q -W --keep-going -d build/doctrees docs build/docs
	@echo "build/docs/index.html"

# A source archive and a wheel in dist/, as a package index would take them; and on Linux x86-64 a wheel with compiled
# code for each of PYTHONS, in two minutes each.
PYTHONS ?= $(foreach version,3.11 3.12 3.13,$(shell command -v python$(version)))
dist: .venv/docs
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/python tools/compile_wheel.py dist/*-none-any.whl $(PYTHONS)
	$(BIN)/twine check --strict dist/*

# Whether the newest numba works, pre-releases too and whatever the pin says, in an environment of its own; never fails.
next:
	-$(PYTHON) tools/next_numba.py

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/plain: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --editable .
	touch $@

.venv/dev: .venv/plain
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@

.venv/learn: .venv/plain
	$(BIN)/pip install --quiet --editable '.[learn]'
	touch $@

.venv/docs: .venv/plain
	$(BIN)/pip install --quiet --editable '.[docs]'
	touch $@

.venv-peers/ready: pyproject.toml
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/pip install --quiet --editable '.[peers]'
	touch $@

clean:
	rm -rf .venv .venv-peers .venv-next build dist .pytest_cache .hypothesis .mypy_cache .ruff_cache
