# Thin: every target is one command that also works by hand.

CARGO ?= cargo
PYTHON ?= python3
VENV := target/venv
NEXTEST := $(shell $(CARGO) nextest --version >/dev/null 2>&1 && echo yes)

.PHONY: demo test format lint rust python methods lambda bench kernels callgrind

demo:
	$(CARGO) run --release -- demo

test: format lint rust python

format:
	$(CARGO) fmt --all --check

lint:
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --quiet

rust:
ifeq ($(NEXTEST),yes)
	$(CARGO) nextest run --workspace
else
	$(CARGO) test --workspace --lib --bins --tests
endif
	$(CARGO) test --workspace --doc

# Files that other tools write and read: needs the program, and the tools in a virtual environment.
python: $(VENV)/ready
	$(CARGO) build --package emmf-cli
	EMMF=$(CURDIR)/target/debug/emmf $(VENV)/bin/python -m pytest -q tests/python

$(VENV)/ready: tests/python/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r tests/python/requirements.txt
	touch $@

# Ours beside the peers; writes docs/benchmarks.md. Variables: see benches/run.py.
bench:
	$(PYTHON) benches/run.py

# Every method on four data sets of the paper; writes docs/methods.md. SEEDS=20.
methods:
	$(CARGO) build --release --package emmf-cli
	$(PYTHON) benches/methods.py

# λ of g-emmf on the eight data sets; writes docs/lambda.md. SEEDS=20 LARGE_SEEDS=3.
lambda:
	$(CARGO) build --release --package emmf-cli
	$(PYTHON) benches/lambda.py

# The inner kernels, each on its own: time, and instructions beside a baseline (RENEW=1 writes it).
kernels:
	$(CARGO) bench --package emmf --bench kernels

callgrind:
	$(PYTHON) benches/callgrind.py
