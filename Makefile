# Thin: every target is one command that also works by hand.

CARGO ?= cargo
PYTHON ?= python3
VENV := target/venv
NEXTEST := $(shell $(CARGO) nextest --version >/dev/null 2>&1 && echo yes)

# Where everything is built once, what is kept for the next change costs a fifth of the time.
ifdef CI
export CARGO_INCREMENTAL := 0
endif

.PHONY: demo test format lint deny rust fuzz python browser wheel site dist dist-check release-check notebooks kill methods clusters deep outliers lambda paper robustness bench gpu emulate kernels callgrind cluster

demo:
	$(CARGO) run --release -- demo

test: format lint rust python

format:
	$(CARGO) fmt --all --check

lint: deny
	$(CARGO) clippy --workspace --all-targets --features emmf/peers -- -D warnings
	$(CARGO) check --package emmf --no-default-features
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --quiet

# Licences, doubles and origins of what we depend on, and what is known against it (deny.toml): where the tool and its
# database are at hand.
deny:
	@if ! $(CARGO) deny --version >/dev/null 2>&1; then echo "skipped: no cargo deny, so dependencies are not checked"; \
	else $(CARGO) deny check licenses bans sources && \
		if $(CARGO) deny fetch db >/dev/null 2>&1; then $(CARGO) deny check --disable-fetch advisories; \
		else echo "skipped: no database of advisories to be had"; fi; \
	fi

rust:
ifeq ($(NEXTEST),yes)
	$(CARGO) nextest run --workspace
else
	$(CARGO) test --workspace --lib --bins --tests
endif
	$(CARGO) test --workspace --doc

# Hostile files, models, records, images, experiments and specs, one target after the other. MINUTES=30 FROM=number
# TARGETS="specs images"; a share of the cases is in the Rust tests.
MINUTES ?= 30
fuzz:
	$(CARGO) run --release --quiet --package emmf-fuzz -- run $(TARGETS) --minutes $(MINUTES) $(if $(FROM),--from $(FROM))

# Files that other tools write and read, the page in a browser, the commands of the guide, and the Python package: needs
# the program, and the tools in a virtual environment. All is built as the Rust tests are, so that nothing is compiled
# twice.
python: $(VENV)/ready browser
	$(CARGO) build --workspace --lib --bins --tests
	cp target/debug/lib_emmf.$(if $(filter Darwin,$(shell uname)),dylib,so) python/emmf/_emmf.abi3.so
	EMMF=$(CURDIR)/target/debug/emmf PYTHONPATH=$(CURDIR)/python $(VENV)/bin/python -m pytest -q -rs tests/python python/tests

# On a machine of its own, CI fetches a browser; elsewhere the tests that need one say that they were skipped.
browser:
	@test -z "$$CI" || command -v chromium chromium-browser google-chrome >/dev/null \
		|| timeout 240 sh -c 'apt-get -qq update && apt-get -qq install --yes --no-install-recommends chromium fonts-dejavu-core' >/dev/null 2>&1 \
		|| echo "no browser to be had: the tests of the page are skipped"

$(VENV)/ready: tests/python/requirements.txt python/tests/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check $(addprefix -r ,$^)
	touch $@

# The wheel as users get it, in a clean environment: it must be small and work.
wheel:
	rm -rf target/wheel && $(PYTHON) -m venv target/wheel
	target/wheel/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps -w target/wheel ./python
	target/wheel/bin/python -m pip install --quiet --disable-pip-version-check target/wheel/*.whl
	cd target/wheel && bin/python $(CURDIR)/python/tools/check_wheel.py *.whl

# The site of docs/, with the command line and the Python API from the living program: target/site. Its links are checked.
site: target/venv-site/ready
	$(CARGO) build --workspace --lib --bins
	cp target/debug/lib_emmf.$(if $(filter Darwin,$(shell uname)),dylib,so) python/emmf/_emmf.abi3.so
	NO_MKDOCS_2_WARNING=1 EMMF=$(CURDIR)/target/debug/emmf PYTHONPATH=$(CURDIR)/python target/venv-site/bin/python -m mkdocs build --quiet --config-file site/mkdocs.yml
	target/venv-site/bin/python site/links.py target/site

target/venv-site/ready: site/requirements.txt
	$(PYTHON) -m venv target/venv-site
	target/venv-site/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

# Everything that is released, in target/dist (RELEASING.md); ONLY=program,wheel,source,sbom for some of it.
dist: target/venv-dist/ready
	PATH="$(CURDIR)/target/venv-dist/bin:$(CURDIR)/target/venv-dist/Scripts:$$PATH" python release/dist.py

# The wheel and the program in clean environments, and the source archive without a network (SOURCE=0 leaves that out).
dist-check: target/venv-dist/ready
	PATH="$(CURDIR)/target/venv-dist/bin:$(CURDIR)/target/venv-dist/Scripts:$$PATH" python release/try_out.py

target/venv-dist/ready: release/requirements.txt
	$(PYTHON) -m venv target/venv-dist
	PATH="$(CURDIR)/target/venv-dist/bin:$(CURDIR)/target/venv-dist/Scripts:$$PATH" python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

# The notebooks of python/examples, run again, with their outputs.
notebooks: $(VENV)/ready
	$(CARGO) build --workspace --lib --bins
	cp target/debug/lib_emmf.$(if $(filter Darwin,$(shell uname)),dylib,so) python/emmf/_emmf.abi3.so
	cd python && PYTHONPATH=$(CURDIR)/python ../$(VENV)/bin/python -m tools.notebooks

# Versions, changelog, manifests, packages, the Rust version, the interface and the workflows. VERIFY=0 builds no package.
release-check: target/venv-dist/ready
	PATH="$(CURDIR)/target/venv-dist/bin:$(CURDIR)/target/venv-dist/Scripts:$$PATH" python release/check.py

# Kills fit, resumed fits, bench, report, synth and Python's save at random moments and checks what they leave: RUNS=100 of
# each, SEED=0, ONLY=fit,bench. Prints a table; fails where a folder is neither old nor new, or something is left behind.
kill: $(VENV)/ready
	$(CARGO) build --workspace --lib --bins
	cp target/debug/lib_emmf.$(if $(filter Darwin,$(shell uname)),dylib,so) python/emmf/_emmf.abi3.so
	EMMF=$(CURDIR)/target/debug/emmf PYTHONPATH=$(CURDIR)/python $(VENV)/bin/python tests/kill/run.py

# Fits on clusters of several processes whose workers are killed at every kind of moment, and what a cluster costs: the numbers of
# docs/scale.md. Takes half an hour. ONLY=online,iteration,efficiency,peers for some of the numbers, SIZE=1000000 samples.
cluster: $(VENV)/ready
	grep -v "^#" python/cluster/requirements.txt | xargs -n 1 $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check \
		|| echo "not all of python/cluster/requirements.txt is to be had: the parts of the others are skipped"
	$(CARGO) build --workspace --lib --bins
	cp target/debug/lib_emmf.$(if $(filter Darwin,$(shell uname)),dylib,so) python/emmf/_emmf.abi3.so
	PYTHONPATH=$(CURDIR)/python $(VENV)/bin/python -m pytest -q -rs -p no:logging python/cluster
	PYTHONPATH=$(CURDIR)/python $(VENV)/bin/python -m pytest -q -rs -p no:logging python/tests/test_engines.py
	PYTHONPATH=$(CURDIR)/python $(VENV)/bin/python benches/scale.py

# Ours beside the peers; writes docs/benchmarks.md. Variables: see benches/run.py.
bench:
	$(PYTHON) benches/run.py

# Every method on four data sets of the paper; writes docs/methods.md. SEEDS=20.
methods:
	$(CARGO) build --release --package emmf-cli
	$(PYTHON) benches/methods.py

# The default beside other ways to cluster, on the paper's sets and four others; writes docs/clusters.md. Goes on where it
# stopped. SEEDS=3 ONLY=yale,jaffe; needs numpy, scipy and scikit-learn.
clusters:
	$(CARGO) build --release --package emmf-cli
	$(PYTHON) benches/clusters.py

# Layers beside flat fits, Deep Semi-NMF and deep nsNMF; writes docs/deep.md. Goes on where it stopped. SEEDS=3 ONLY=yale,jaffe; needs
# numpy, scipy and scikit-learn.
deep:
	$(CARGO) build --release --package emmf-cli
	$(PYTHON) benches/deep.py

# Outlier scores of the default beside detectors, on tables, on kinds of outliers and on clean data; writes docs/outliers.md.
# Goes on where it stopped. Needs numpy, scipy, scikit-learn and pyod.
outliers:
	$(CARGO) build --release --package emmf-cli
	$(PYTHON) benches/outliers.py

# λ of g-emmf on the eight data sets; writes docs/lambda.md. SEEDS=20 LARGE_SEEDS=3.
lambda:
	$(CARGO) build --release --package emmf-cli
	$(PYTHON) benches/lambda.py

# The whole paper, which takes many hours (interrupt and call it again as you like); writes docs/paper.md. DATA=folder.
paper:
	$(CARGO) build --release --package emmf-cli
	target/release/emmf bench --paper --resume --out target/paper --page docs/paper.md $(if $(DATA),--data $(DATA))

# What outliers do to every method and start; writes docs/robustness.md. Goes on where it stopped. EMMF_DATA=folder
# JOBS=1.
robustness:
	$(CARGO) build --release --package emmf-cli
	$(PYTHON) benches/robustness.py

# The tests of a card where there is none: its kernels run on the processor, thread by thread, in memory that begins as NaN
# and ends where nothing can be read. For Linux on x86-64 with g++; takes minutes. ONLY=bytes
EMULATOR := crates/emmf-cuda/tests/emulator
emulate: target/emulator/libnvrtc.so
	LD_LIBRARY_PATH=$(CURDIR)/target/emulator $(CARGO) test --package emmf-cuda --test all card::$(ONLY)

target/emulator/libnvrtc.so: $(wildcard $(EMULATOR)/*)
	rm -rf target/emulator && mkdir -p target/emulator/cache
	g++ -O2 -Wall -shared -fPIC -DSOURCE='"$(CURDIR)/$(EMULATOR)"' -DCACHE='"$(CURDIR)/target/emulator/cache"' \
		$(EMULATOR)/driver.cpp -o target/emulator/libcuda.so -ldl
	cp target/emulator/libcuda.so target/emulator/libcublas.so
	cp target/emulator/libcuda.so $@

# On a machine with a card: the tests that need one, iterations beside cuBLAS and PyTorch, and whole fits of a file. Needs
# PyTorch with CUDA for $(PYTHON); the numbers go to docs/gpu.md.
gpu:
	$(CARGO) test --release --package emmf-cuda
	$(CARGO) build --release --package emmf-cuda --example device
	$(CARGO) build --release --package emmf-cli
	$(PYTHON) benches/gpu.py target/release/examples/device
	$(PYTHON) benches/gpu_fit.py target/release/emmf

# The inner kernels, each on its own: time, and instructions beside a baseline (RENEW=1 writes it).
kernels:
	$(CARGO) bench --package emmf --bench kernels

callgrind:
	$(PYTHON) benches/callgrind.py
