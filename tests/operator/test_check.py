"""The check asks every source and seat of the settings once, and says what works, how fast and at what cost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import SecretStr
from sqlalchemy import select, update

from service.config import Settings, SettingsError
from service.forecasting.voters.ballots import EMBEDDED
from service.operator.check import findings_table
from service.operator.commands import as_json, readable
from service.sources import sessions
from service.store.database import Database
from service.store.tables import metadata, spending
from tests.operator.conftest import KEY, SEATS, dead, taken_by
from tests.processes import ROOT
from tests.sources.llm import model_server as it
from tests.sources.llm.model_server import answers, refuses, vote_text
from tests.sources.proxy_servers import proxying


def test_a_service_that_was_never_started_is_well_and_free(examine, tmp_path):
    """Nothing is made by looking."""
    parts = examine(data_dir=tmp_path / "var")
    assert list(parts) == ["database", "prices", *(f"seat {name}" for name in SEATS)]
    assert [part for part in parts.values() if not part.works] == []
    assert {(part.tokens, part.usd) for part in parts.values()} == {(0, 0.0)}
    assert {parts[f"seat {name}"].what for name in SEATS} == {EMBEDDED}
    assert parts["prices"].what == "simulated market"
    assert list(tmp_path.iterdir()) == []


OLLAMA = " Run `ollama serve` and `ollama pull llama3.2`."


@pytest.mark.parametrize(
    "options",
    [
        {"database_url": f"mysql://root:{KEY}@127.0.0.1/test"},
        {"database_url": f"{KEY}::"},
        {"database_url": "sqlite://"},
        {"redis_url": SecretStr(f"redis://:{KEY}@127.0.0.1:http")},
        {"world": "live", "exchanges": ("unknown",)},
        {"oracle_model": "openai:gpt-5-mini"},
        {"oracle_model": "unknown:gpt-5-mini", "provider_keys": {"openai": KEY}},
    ],
)
def test_settings_are_checked_before_any_call(examine, options):
    with pytest.raises(SettingsError) as error:
        examine(**options)
    assert KEY not in error.value.detail


def test_models_and_sources_are_asked_through_the_proxy(examine, model):
    address = model.address.replace("127.0.0.1", "model.test")  # a name that only the proxy resolves
    with proxying("http") as proxy:
        try:
            examine(world="simulated", source_proxy=proxy.address, **taken_by(address, "momentum"))
        finally:
            sessions.use_proxy(Settings())
    assert f"POST {address}/chat/completions" in proxy.requests


class TestASeatWithALanguageModel:
    def test_is_asked_one_real_question(self, examine, model):
        part = examine(**taken_by(model, "momentum"))["seat momentum"]
        assert (part.works, part.what, part.tokens, part.usd) == (True, "custom:some-model", 940, None)
        assert part.detail.startswith("answers 62% to a sample question; ORACLE_PRICES can state its price")
        (request,) = model.requests
        prompt = request["messages"][1]["content"]
        assert "Question: Will Bitcoin" in prompt
        assert "base rate of YES" in prompt

    @pytest.mark.parametrize(
        ("name", "usd", "cost"),
        [
            ("openai:gpt-5-mini", (900 * 0.25 + 40 * 2.0) / 1e6, "940 tokens, "),
            ("ollama:llama3.2", 0.0, "940 tokens, free"),
        ],
    )
    def test_costs_what_its_provider_charges(self, examine, model, name, usd, cost):
        part = examine(**taken_by(model, "news", model=name))["seat news"]
        assert (part.works, part.what, part.tokens) == (True, name, 940)
        assert part.usd == pytest.approx(usd)
        assert cost in readable(findings_table([part]))

    def test_leaves_the_others_to_their_embedded_engines(self, examine, model):
        """A model can be in each of the six."""
        parts = examine(**taken_by(model, "momentum", "trend"))
        engines = [parts[f"seat {name}"].what for name in SEATS]
        assert engines == ["custom:some-model", *[EMBEDDED] * 3, "custom:some-model", EMBEDDED]
        assert len(model.requests) == 2
        parts = examine(**taken_by(model, *SEATS))
        assert all(parts[f"seat {name}"].works for name in SEATS)
        assert len({request["messages"][0]["content"] for request in model.requests}) == 6

    @pytest.mark.parametrize(
        ("behave", "reason"),
        [
            (refuses(401, f"Incorrect API key provided: {KEY}"), "refused the key (401)"),
            (refuses(402), "is out of credit (402)"),
            (answers(f"My key is {KEY}."), "gave no probability_yes"),
        ],
    )
    def test_is_not_stood_in_for_and_its_key_is_never_told(self, examine, model, behave, reason, capfd):
        model.behaviours = [behave]
        parts = examine(oracle_on_failure="fallback", **taken_by(model, "momentum"))
        assert not parts["seat momentum"].works
        assert parts["seat momentum"].detail == f"custom:some-model: {reason}."
        table = findings_table(list(parts.values()))
        assert KEY not in as_json(table) + readable(table) + "".join(capfd.readouterr())

    def test_that_hangs_fails_in_time_with_what_it_may_have_cost(self, examine, model):
        model.behaviours = [it.hangs]
        part = examine(oracle_deadline_s=0.6, **taken_by(model, "momentum"))["seat momentum"]
        assert (part.works, part.detail) == (False, "custom:some-model: did not answer in time.")
        assert part.tokens > 4000
        assert f"at most {part.tokens} tokens, price unknown" in readable(findings_table([part]))

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("name", "engine", "advice"), [("some-model", "custom:some-model", ""), ("ollama:llama3.2",) * 2 + (OLLAMA,)]
    )
    def test_without_a_server_costs_nothing(self, examine, name, engine, advice):
        """That of Ollama says what to do."""
        options = taken_by(f"http://{dead()}/v1", "momentum", model=name)
        part = examine(oracle_deadline_s=1, **options)["seat momentum"]
        assert (part.works, part.tokens, part.usd) == (False, 0, 0.0)
        assert part.detail == f"{engine}: could not be reached.{advice}"

    def test_of_ollama_that_lacks_the_model_says_what_to_do(self, examine, model):
        model.behaviours = [refuses(404, 'model "llama3.2" not found, try pulling it first')]
        part = examine(**taken_by(model, "momentum", model="ollama:llama3.2"))["seat momentum"]
        assert (part.works, part.tokens) == (False, 0)
        assert part.detail == f"ollama:llama3.2: was not found (404).{OLLAMA}"


def everything_in(database: Database) -> dict[str, list]:
    """All rows of all tables but what was spent."""
    with database.reading() as db:
        return {
            table.name: sorted(map(str, db.execute(select(table)).all()))
            for table in metadata.sorted_tables
            if table is not spending
        }


class TestWhatTheCheckSpends:
    def test_is_added_to_the_service_and_nothing_else_is_written(self, examine, model, database, database_url):
        before = everything_in(database)
        examine(database_url=database_url, **taken_by(model, "momentum", "trend"))
        with database.reading() as db:
            assert db.scalar(select(spending.c.tokens)) == 2 * 940
        assert everything_in(database) == before

    def test_is_capped_as_the_service_is(self, examine, model, sqlite_url):
        examine(database_url=sqlite_url, **taken_by(model, "momentum"))
        with closing(Database(sqlite_url)) as database, database.writing() as db:
            db.execute(update(spending).values(tokens=9_500))
        options = taken_by(model, "momentum") | {"oracle_daily_tokens": 10_000}
        part = examine(database_url=sqlite_url, **options)["seat momentum"]
        assert len(model.requests) == 1
        assert (part.works, part.tokens) == (False, 0)
        assert part.detail == "custom:some-model: today's budget for language models is used up."

    def test_is_counted_in_memory_where_no_database_can_hold_it(self, examine, model, tmp_path, empty_postgresql):
        """There is none, it does not answer, or it is empty."""
        for url in ("", "postgresql://127.0.0.1:1/test", empty_postgresql):
            assert examine(database_url=url, **taken_by(model, "momentum"))["seat momentum"].works
        assert list(tmp_path.iterdir()) == []


def shell(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The check as it is run from a shell."""
    command = [sys.executable, "-m", "service.operator", "check", *words]
    environment = {**os.environ, "DATA_DIR": str(folder), **environment}
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.slow
def test_when_all_parts_work_each_has_a_line_and_the_exit_is_0(tmp_path, sqlite_url):
    done = shell(tmp_path, DATABASE_URL=sqlite_url)
    heading, *lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert heading.split() == ["part", "works", "ms", "cost", "what", "detail"]
    assert [line.split("  ")[0] for line in lines] == ["database", "prices", *(f"seat {name}" for name in SEATS)]


@pytest.mark.slow
def test_when_a_part_fails_the_exit_is_1_and_no_key_is_shown(tmp_path, model):
    model.behaviours = [answers(vote_text()), refuses(401, f"Incorrect API key provided: {KEY}")]
    secrets = {"ORACLE_MODEL": "openai:gpt-5-mini", "OPENAI_API_KEY": f"{KEY}-openai"}
    secrets |= {f"ORACLE_{name.upper()}_BASE_URL": model.address for name in SEATS}
    secrets |= {f"ORACLE_{name.upper()}_API_KEY": KEY for name in SEATS}
    secrets |= {"REDIS_URL": f"redis://:{KEY}@{dead()}", "DATABASE_URL": f"postgresql://someone:{KEY}@{dead()}/test"}
    done = shell(tmp_path, "--json", **secrets)
    findings = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (1, "")
    assert {header["authorization"] for header in model.headers} == {f"Bearer {KEY}"}, "the key was used"
    assert KEY not in done.stdout
    assert sum(part["works"] for part in findings) == 2, "the prices, and the seat that was answered first"
    assert set(findings[0]) == {"part", "what", "works", "ms", "tokens", "usd", "detail", "cost"}
