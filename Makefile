# make run and make test need git, make and python3 with venv; the rest they install themselves.
# Everything is called as `.venv/bin/python -m ...`: scripts with a path inside would break in a
# folder whose name has spaces.

.DEFAULT_GOAL := help
PYTHON ?= python3
UV ?= uv
FILE ?=
EXAMPLE := resources/examples/dgx-spark-qwen3.6-35b-a3b.ourmodels.json

PY := .venv/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check
LOCKED := --require-hashes --only-binary :all: -r

# A stamp is named after the content it stands for, so a changed lock, Python or folder makes a new
# one, and an interrupted step leaves none.
key = $(shell { pwd; $(PYTHON) --version; cat $(1); } 2>&1 | cksum | cut -d ' ' -f 1)
VENV := .venv/venv-$(call key,/dev/null)
INSTALLED := .venv/run-$(call key,requirements.lock pyproject.toml hatch_build.py)
PACKABLE := .venv/package-$(call key,requirements-package.lock)
TESTABLE := .venv/test-$(call key,requirements-test.lock)

.PHONY: help run test check package proof pages words lock benchmarks clean

help: ## Show this list.
	@awk -F ': .*## ' '/^[a-z]+: .*## / { printf "make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: $(INSTALLED) ## Open the window (FILE=scenario to open one); without a display, answer an example.
	@$(PY) packaging/linux/libraries.py; libraries=$$?; \
	if ! $(PY) -m ourmodels_gui.display; then \
	  echo "No display here; this is the example $(EXAMPLE), answered as text."; \
	  exec $(PY) -m ourmodels_gui evaluate "$(EXAMPLE)" --text; \
	fi; \
	[ $$libraries -eq 0 ] && exec $(PY) -m ourmodels_gui gui $(if $(FILE),"$(FILE)")

test: $(TESTABLE) ## Run the whole test suite, without a display, one process for each core.
	@$(PY) packaging/linux/libraries.py
	QT_QPA_PLATFORM=offscreen $(PY) -m pytest --numprocesses auto --dist worksteal $(ARGS)

check: $(TESTABLE) ## Check style, types and layers only (part of the tests).
	$(PY) -m pytest -q tests/test_style.py tests/test_layers.py

package: $(PACKABLE) ## Build what this system can install into dist/; see packaging/README.md.
	$(PY) packaging/build.py

benchmarks: $(TESTABLE) ## Measure speed, start and memory; see benchmarks/README.md.
	@status=0; for script in benchmarks/*.py; do \
	  echo "$$script"; $(PY) "$$script" || status=1; \
	done; exit $$status

proof: $(TESTABLE) ## Write docs/proof.md anew: every published run beside its ceiling.
	$(PY) docs/build_proof.py

pages: $(TESTABLE) ## Write docs/audit.md and docs/catalog-sizes.md anew from the catalog.
	$(PY) docs/build_pages.py

words: $(TESTABLE) ## Bring the words of every language up to date; see docs/language.md.
	$(PY) docs/words.py

lock: ## Write the lock files anew (needs uv; UPGRADE=--upgrade takes newer versions).
	$(call compile,requirements.lock)
	$(call compile,requirements-test.lock,--extra test --constraint requirements.lock)
	$(call compile,requirements-package.lock,--extra package --constraint requirements.lock)

compile = $(UV) pip compile pyproject.toml --group build $(2) --quiet $(UPGRADE) \
	--universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
	--custom-compile-command "make lock" --output-file $(1)

clean: ## Remove the environment and everything that tools leave behind.
	rm -rf .venv .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache build dist

$(VENV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "Python's venv is missing. This line installs it: sudo apt-get install -y python3-venv"; exit 1; }
	@$(PYTHON) -m venv --clear .venv
	@touch $@

$(INSTALLED): $(VENV)
	@rm -f .venv/run-* .venv/test-* .venv/package-*
	@echo "Installing the locked packages into .venv (once; about 120 MB)."
	@$(PIP) $(LOCKED) requirements.lock
	@$(PIP) --no-index --no-deps --no-build-isolation --editable .
	@touch $@

$(TESTABLE): $(INSTALLED)
	@rm -f .venv/test-*
	@$(PIP) $(LOCKED) requirements-test.lock
	@touch $@

$(PACKABLE): $(INSTALLED)
	@rm -f .venv/package-*
	@$(PIP) $(LOCKED) requirements-package.lock
	@touch $@
