# Two commands matter: `make run` starts the service, `make test` checks it. `make` alone lists the rest.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
REFEREE := $(VENV)-referee
LLM := $(VENV)-llm
export OMP_NUM_THREADS ?= 1

.DEFAULT_GOAL := help
.PHONY: help run bot lab voila test test-llm lint bench evaluate referee pin clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-10s %s\n", $$1, $$2 }'

$(INSTALLED): requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Ninefold needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	@echo "Installing into $(VENV) …"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv \
		&& $(BIN)/python -m uv pip install --quiet --compile-bytecode --require-hashes -r requirements.txt \
		|| $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@touch $@

run: $(INSTALLED) ## the service on http://127.0.0.1:8000 (PORT, HOST, WORLD and more: see README)
	@exec $(BIN)/python app.py

bot: $(INSTALLED) ## the Telegram bot (TELEGRAM_BOT_TOKEN, BOT_ORACLE_KEY, ORACLE_URL: see README)
	@exec $(BIN)/python -m bot

lab: $(INSTALLED) ## JupyterLab on the notebooks, and the service where none answers (ORACLE_URL, ORACLE_KEY, LAB_PORT)
	@exec $(BIN)/python -m notebooks lab

voila: $(INSTALLED) ## the same notebooks as pages to be read, on http://127.0.0.1:8866 (VOILA_PORT)
	@exec $(BIN)/python -m notebooks voila

test: lint ## every check of this machine; with CI=true nothing but tests/llm may be skipped
	@$(BIN)/python -m pytest -n 2 --dist loadfile

test-llm: $(INSTALLED) $(LLM)/.installed ## the seats against llama.cpp (the first time it compiles for 15 minutes)
	@TEST_LLM_VENV=$(LLM) $(BIN)/python -m pytest tests/llm

$(LLM)/.installed: tests/llm/llama.txt
	@echo "Compiling llama.cpp into $(LLM), which takes about 15 minutes …"
	@$(PYTHON) -m venv $(LLM)
	@$(LLM)/bin/python -m pip install --quiet --disable-pip-version-check -r tests/llm/llama.txt
	@touch $@

lint: $(INSTALLED) ## style and the direction of imports
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@PYTHONPATH=. $(BIN)/lint-imports --no-cache > $(VENV)/imports.log || { cat $(VENV)/imports.log; exit 1; }

bench: $(INSTALLED) $(REFEREE)/.installed ## speed, as ratios in one run
	@$(BIN)/python -m tests.measure.bench
	@$(REFEREE)/bin/python -m tests.measure.arena_speed

evaluate: $(INSTALLED) ## each voter and the pool, walked forward over real bars (BARS=folder of hourly CSV files)
	@$(BIN)/python -m tests.measure.evaluate $(BARS)

$(REFEREE)/.installed: tests/measure/referee.txt
	@$(PYTHON) -m venv $(REFEREE)
	@$(REFEREE)/bin/python -m pip install --quiet --disable-pip-version-check -r tests/measure/referee.txt
	@touch $@

referee: $(REFEREE)/.installed ## our accounts against vectorbt and backtesting.py, in an environment of its own
	@$(REFEREE)/bin/python -m tests.measure.referee

pin: $(INSTALLED) ## requirements.in -> requirements.txt, every transitive package with its hashes
	@$(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-header --no-emit-index-url requirements.in -o requirements.txt

clean: ## remove the environments (the data in var/ stays)
	@rm -rf $(VENV) $(VENV)-*
