# One command each: `make site`, `make serve`, `make test`, `make numbers`, `make bench`.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: site serve check numbers test lint bench lighthouse golden clean

site: $(READY) node_modules
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

serve: $(READY) node_modules
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve --livereload

check: $(READY)
	$(BIN)/course check

# Re-record whatever is stale (training, benchmark, notebook), then build.
numbers: $(READY)
	$(BIN)/course record --stale
	$(MAKE) site

test: $(READY) node_modules
	$(BIN)/python -m tests.browser.chromium
	$(BIN)/ruff check .
	$(BIN)/mypy
	CI=$${CI-1} $(BIN)/python -m pytest -n 2 --dist loadfile

bench: $(READY)
	$(BIN)/python -m tests.bench

golden: $(READY)
	$(BIN)/python -m tests.golden

lighthouse: site
	$(BIN)/python -m tests.measure_site

$(READY): requirements.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m course_build.mathml.font # made once, kept with the environment
	touch $@

# The browser assets are few and optional: without npm the site takes plotly.js from the Python package.
node_modules: package-lock.json
	@if command -v npm >/dev/null; then npm ci --silent --no-audit --no-fund; \
	else echo "npm is not here: the site works, its chart library is the larger one of the Python package"; mkdir -p node_modules; fi
	@touch node_modules

clean:
	rm -rf site .cache
