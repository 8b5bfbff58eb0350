# Thin: every target is one command that also works by hand.

CARGO ?= cargo
PYTHON ?= python3
VENV := target/venv
NEXTEST := $(shell $(CARGO) nextest --version >/dev/null 2>&1 && echo yes)

.PHONY: demo test format lint rust python methods bench kernels callgrind

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

# Files that other tools write and read, and the Python package: needs the program, and the tools in a virtual
# environment. The package is built with the profile of the tests, of which most is there already.
python: $(VENV)/ready
	$(CARGO) build --package emmf-cli
	cd python && VIRTUAL_ENV=$(CURDIR)/$(VENV) $(CURDIR)/$(VENV)/bin/maturin develop --quiet
	EMMF=$(CURDIR)/target/debug/emmf $(VENV)/bin/python -m pytest -q tests/python python/tests

$(VENV)/ready: tests/python/requirements.txt python/tests/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check $(addprefix -r ,$^)
	touch $@

# Ours beside the peers; writes docs/benchmarks.md. Variables: see benches/run.py.
bench:
	$(PYTHON) benches/run.py

# Every method on four data sets of the paper; writes docs/methods.md. SEEDS=20.
methods:
	$(CARGO) build --release --package emmf-cli
	$(PYTHON) benches/methods.py

# The inner kernels, each on its own: time, and instructions beside a baseline (RENEW=1 writes it).
kernels:
	$(CARGO) bench --package emmf --bench kernels

callgrind:
	$(PYTHON) benches/callgrind.py
