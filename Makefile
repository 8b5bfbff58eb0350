# Thin: every target is one command that also works by hand.

CARGO ?= cargo
PYTHON ?= python3
VENV := target/venv
NEXTEST := $(shell $(CARGO) nextest --version >/dev/null 2>&1 && echo yes)

.PHONY: demo test format lint rust python browser methods bench kernels callgrind

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

# Files that other tools write and read, the page in a browser, the commands of the guide: needs the program, and the
# tools in a virtual environment.
python: $(VENV)/ready browser
	$(CARGO) build --package emmf-cli
	EMMF=$(CURDIR)/target/debug/emmf $(VENV)/bin/python -m pytest -q -rs tests/python

# On a machine of its own, CI fetches a browser; elsewhere the tests that need one say that they were skipped.
browser:
	@test -z "$$CI" || command -v chromium chromium-browser google-chrome >/dev/null \
		|| (apt-get -qq update && apt-get -qq install --yes --no-install-recommends chromium fonts-dejavu-core) >/dev/null 2>&1 \
		|| echo "no browser to be had: the tests of the page are skipped"

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

# The inner kernels, each on its own: time, and instructions beside a baseline (RENEW=1 writes it).
kernels:
	$(CARGO) bench --package emmf --bench kernels

callgrind:
	$(PYTHON) benches/callgrind.py
