# Two commands: `make demo` and `make test`. Each sets up what it needs and skips what is done.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test bench peers learn clean

demo: .venv/plain
	$(BIN)/python examples/tour.py

test: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest

bench: .venv/plain
	$(BIN)/turnsmith bench

# What training needs beyond playing.
learn: .venv/learn

# Side by side with OpenSpiel and pgx, in an environment of their own.
peers: .venv-peers/ready
	.venv-peers/bin/python bench/peers.py

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

.venv-peers/ready: pyproject.toml
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/pip install --quiet --editable '.[peers]'
	touch $@

clean:
	rm -rf .venv .venv-peers build dist .pytest_cache .hypothesis .mypy_cache .ruff_cache
