# make golden          set up an environment and run the regression suite against the goldens
# make test            run the plugin's own tests, but for the wide ones
# make test ALL=1      the wide ones, too: numerics, scripts, ranks, processes or torches side by side, the browser
# make test ALL=2/3    of the wide ones, the second of three parts that take about the same time
# make test-replay     run those of them that compile nothing, with torch out of reach
# make verdicts        compare what is said of all goldens and of planted changes with the tables that are kept of it
# make check           lint, types and import rules
# make docs            build these pages, the API reference and an example of `compile-golden site` as a site, in site/
# make golden TORCH=2.15.0     the same on another torch; PIP_ARGS is passed to pip (for example, an index for nightlies)

TORCH ?= 2.13.0
PYTHON ?= python3
PIP_ARGS ?=
# What ARGS selects may all be in the other half of the tests.
NONE = $(if $(ARGS),|| [ $$? = 5 ])
ARGS ?=
VENV ?= .venv/torch-$(TORCH)
# torch's CPU wheel does not bring Triton, which virtual GPU targets need; the CUDA wheels pin their own.
TRITON_2.13.0 = triton==3.7.1
RUN = $(VENV)/bin
# The example in the docs: what the goldens say about each release.
SITE_OF = goldens@2.12.1 goldens@2.13.0 goldens@2.14.1 goldens@2.15.0

# With it, each process that a test starts would compile our modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: golden test test-replay verdicts check docs update benchmark clean

golden: $(VENV)/ready
	$(RUN)/python -m pytest --compile-golden -n auto $(ARGS)

test: test-replay
	$(RUN)/python -m pytest tests -n auto --dist worksteal -m '$(if $(ALL),live or wide,live and not wide)' $(if $(findstring /,$(ALL)),--wide=$(ALL)) $(ARGS) $(NONE)

test-replay: $(VENV)/ready
	$(RUN)/python -m pytest tests -n auto --dist worksteal -p tests.replay -m 'not live and not wide' $(ARGS) $(NONE)

verdicts: $(VENV)/ready
	$(RUN)/python -m benchmarks.verdicts $(ARGS)

update: $(VENV)/ready
	$(RUN)/python -m pytest --compile-golden -n auto --snapshot-update $(ARGS)

check: $(VENV)/ready
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy
	$(RUN)/lint-imports --no-cache
	$(RUN)/actionlint

docs: .venv/docs/ready $(VENV)/ready
	.venv/docs/bin/zensical build --clean --strict
	$(RUN)/compile-golden site $(SITE_OF) --into site/example --title 'torch.compile, release by release'

benchmark: $(VENV)/ready
	$(RUN)/python -m benchmarks

clean:
	rm -rf .venv

$(VENV)/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet $(PIP_ARGS) 'torch==$(TORCH)' $(TRITON_$(TORCH)) --editable '.[cases,dev]'
	touch $@

# Built from the sources alone, without torch.
.venv/docs/ready: pyproject.toml
	$(PYTHON) -m venv .venv/docs
	.venv/docs/bin/python -m pip install --quiet --upgrade pip
	.venv/docs/bin/python -m pip install --quiet --group docs
	touch $@
