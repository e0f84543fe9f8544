# Two commands do everything: `make demo` and `make test`. Both set up what they need first.
PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: setup demo test check format bench soak record reference lock clean

setup: .venv/.ready

.venv/.ready: requirements.lock pyproject.toml
	@echo "setting up .venv (the first time takes a few minutes: Spark is a large package)"
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Holdfast needs Python 3.11 or newer; set PYTHON=...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements.lock
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

demo: setup
	@$(BIN)/holdfast demo

# A test that catches the timeout, as one of hypothesis does to try the example again, ends the run, with all stacks.
# Soaks take as long as they are told to, so this is not among the settings of all runs.
# Two processes, each with a Spark of its own, as many tests wait for processes that start. Files stay whole, in order.
test: setup
	@$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder \
		-o faulthandler_timeout=600 -o faulthandler_exit_on_timeout=true

check: setup
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

format: setup
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: setup
	@$(BIN)/python -m bench

soak: setup
	@$(BIN)/python -m pytest -m slow

# Asks a real PostgreSQL again for the answers that tests/recorded/ compares ours with.
record: setup
	@$(BIN)/python -m tests.recorded.record

# Writes the pages of docs/reference/ that are made from the code.
reference: setup
	@$(BIN)/holdfast functions --markdown > docs/reference/functions.md
	@$(BIN)/python -c "from holdfast.adapter.catalog.builtin.listing import markdown; print(markdown(), end='')" \
		> docs/reference/relations.md

lock:
	@uv pip compile --quiet pyproject.toml --group dev --python-version 3.11 --universal --generate-hashes \
		--no-emit-index-url --no-header --no-annotate --output-file requirements.lock

clean:
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
