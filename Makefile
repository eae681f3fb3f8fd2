# Commonplace. `make up` tries it, `make test` proves it.

PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
# Every process started here may keep what it compiled: the tests start many.
unexport PYTHONDONTWRITEBYTECODE
LOCOMO := ../shared/data/locomo6.zip
PYTEST := $(BIN)/python -m pytest -q
# PostgreSQL for the tests: a URL whose user may create databases. A cluster named `ci` on this machine is found by itself.
DATABASE_URL_POSTGRES ?= $(shell pg_lsclusters -h 2>/dev/null | awk '$$2 == "ci" {print "postgres://postgres@127.0.0.1:" $$3 "/commonplace"; exit}')

.PHONY: up test test-fast test-slow test-postgres test-shared bench lint types clean help

up: .venv/ready ## set everything up and run it until Ctrl-C
	@$(BIN)/python manage.py up --port $(PORT)

test: test-fast test-slow test-postgres ## the whole suite: SQLite in full, and what touches SQL on PostgreSQL too

test-fast: .venv/ready-dev
	$(PYTEST) -n 2 -m "not slow and not browser and not shared"

test-slow: .venv/ready-dev
	$(PYTEST) -n 2 --dist loadfile -m "(slow or browser) and not shared"

test-postgres: .venv/ready-dev
ifeq ($(strip $(DATABASE_URL_POSTGRES)),)
	@echo "PostgreSQL was not tested: set DATABASE_URL_POSTGRES, or make a cluster named ci (docs/operating.md)."
else
	DATABASE_URL=$(DATABASE_URL_POSTGRES) $(PYTEST) -n 2 -m "sql and not slow and not browser and not shared"
	DATABASE_URL=$(DATABASE_URL_POSTGRES) $(PYTEST) -n 2 --dist loadfile -m "slow" tests/faults/test_kills.py tests/faults/test_storage.py tests/faults/test_at_work.py
endif

test-shared: .venv/ready-dev ## tests over the evaluation data in ../shared
	$(PYTEST) -m shared

bench: .venv/ready-dev ## every benchmark, each on a database of its own; the tables are in docs/benchmarks.md
	@for each in $$(grep -l '__main__' bench/*.py); do \
		name=$$(basename $$each .py); echo "== $$name"; \
		case $$name in locomo*) [ -f $(LOCOMO) ] || { echo "not measured: $(LOCOMO) is not here"; continue; };; esac; \
		export COMMONPLACE_VAR=var/bench/$$name; \
		DEBUG=1 $(BIN)/python manage.py migrate --verbosity 0 && $(BIN)/python -m bench.$$name || exit 1; done

lint: .venv/ready-dev ## style, floors, templates, migrations
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PYTHONPATH=. $(BIN)/lint-imports --no-cache
	git ls-files -z 'templates/*.html' | xargs -0 -r $(BIN)/djade --check --target-version 5.2
	DJANGO_SETTINGS_MODULE=tests.settings $(BIN)/python manage.py makemigrations --check --dry-run
	DJANGO_SETTINGS_MODULE=tests.settings $(BIN)/python manage.py lintmigrations --quiet ok ignore --no-cache --ignore-initial-migrations

types: .venv/ready-dev ## mypy, strict
	$(BIN)/mypy memoryapp formsengine tests bench

help: ## what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

clean: ## the environment and everything made by tests; never var/
	rm -rf .venv .mypy_cache .ruff_cache .hypothesis

.venv/ready: requirements.txt
	@$(PYTHON) .ci/environment.py .venv requirements.txt
	@touch $@

.venv/ready-dev: requirements.txt requirements-dev.txt
	@$(PYTHON) .ci/environment.py .venv requirements-dev.txt
	@touch $@ .venv/ready
