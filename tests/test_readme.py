"""What the README and the documents say is true: their tables come from the code, and every command in them runs."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot import settings as bot
from notebooks import settings as workbench
from service import config
from service.api.home import anchor
from service.client import AsyncClient, mcp_server
from service.forecasting.voters.panel import VOTERS
from service.notifications.events import EVENT, EVENT_TYPES
from service.sources.feeds.replay import open_replay
from service.sources.llm.limits import Budget, SpendingInMemory
from service.sources.llm.seating import seated
from service.trading.strategies import STRATEGIES
from tests.measure.tables import EXAMPLE, endpoints, example, options
from tests.processes import ROOT, free_port, running, wait_until_ready
from tests.running_service import running_service

FILES = [
    ROOT / name
    for name in ("README.md", "bot/README.md", "notebooks/README.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md")
] + sorted(
    {*(ROOT / "service" / "docs").glob("*.md")} - {ROOT / "service" / "docs" / "skill.md"}
)  # tests/test_agents.py
TEXTS = {file: file.read_text(encoding="utf-8") for file in FILES}
README = "\n".join(TEXTS.values())
MOST_BYTES = 9000  # of the first page
BLOCKS = re.findall(r"^ *```(sh|python)\n(.*?)^ *```", README, re.DOTALL | re.MULTILINE)
SHELL = ["bash", "-euo", "pipefail", "-c"]


def section(name: str) -> str:
    """What stands between the marks of a generated part."""
    return re.search(rf"<!-- {name}.*? -->\n(.*?)<!-- end -->", README, re.DOTALL).group(1).strip()


def blocks(containing: str) -> list[str]:
    """The commands of the README that hold a word."""
    commands = [text for _, text in BLOCKS if containing in text]
    assert commands, f"the README has no command with {containing!r}"
    return commands


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Where the service of these tests lives."""
    return tmp_path_factory.mktemp("stranger")


@pytest.fixture(scope="module")
def port(folder: Path) -> Iterator[int]:
    """The service as `make run` starts it."""
    number = free_port()
    (command,) = (text for text in blocks("make run") if "WORLD" not in text and "ORACLE" not in text)
    log = folder / "log"
    options = {"PORT": str(number), "DATA_DIR": str(folder / "var"), "HISTORY_DAYS": "120"}
    with running([*SHELL, f"exec {command}"], log, **options) as process:
        wait_until_ready(number, process, log)
        wait_until_ready(number, process, log, "/api/predictions/ai-vs-market")
        yield number


def run(command: str, port: int, **environment: str) -> str:
    """What a command prints, with the address of the service of this test."""
    text = command.replace("127.0.0.1:8000", f"127.0.0.1:{port}")
    done = subprocess.run(
        [*SHELL, text], cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def key(port: int) -> str:
    """A key that was registered as the README says."""
    (register,) = blocks("/register")
    return json.loads(run(register, port))["api_key"]


def test_the_first_page_is_short():
    assert len(TEXTS[FILES[0]].encode()) <= MOST_BYTES


def test_every_link_leads_to_a_file_or_heading():
    """Of the same checkout; a picture too."""
    for file, text in TEXTS.items():
        for link in re.findall(r"\]\(([^)#:\s]*)(?:#[\w-]+)?\)", text):
            assert (file.parent / link).exists(), f"{file.name} names {link}"
        for link, heading in re.findall(r"\]\(([^)#:\s]+)#([\w-]+)\)", text):
            headings = re.findall(r"^#+ (.*)$", (file.parent / link).read_text(), re.MULTILINE)
            assert heading in map(anchor, headings), f"{file.name} names #{heading} of {link}"


def test_the_scores_of_the_first_page_are_those_of_the_record():
    rows = re.findall(r"^\| \**2024?5?.*$", TEXTS[FILES[0]], re.MULTILINE)
    assert len(rows) == 4
    assert all(row in (ROOT / "service" / "docs" / "record.md").read_text() for row in rows)


def test_the_options_are_those_of_the_settings():
    assert section("options") == options()
    assert EXAMPLE.read_text() == f"{example()}\n"


def test_the_documented_endpoints_are_those_of_the_service(tmp_path: Path):
    with running_service(tmp_path) as running:
        assert section("endpoints") == endpoints(running.runtime.application())


@pytest.mark.slow
def test_registering_and_asking_as_the_readme_says_gives_nine_votes(port: int, key: str):
    (ask,) = blocks("/api/v1/oracle")
    answer = json.loads(run(ask, port, KEY=key))
    assert len(answer["votes"]) == 9
    assert answer["consensus"]["oracles_count"] == 9


@pytest.mark.slow
def test_the_paper_trading_of_the_readme_is_there(port: int):
    (commands,) = blocks("/api/v1/bot-battle")
    battle, csv, hospital, strategy = (run(line, port) for line in commands.strip().splitlines())
    assert len(json.loads(battle)["lanes"]) == 6
    assert len(csv.strip().splitlines()) == 3
    assert len(json.loads(hospital)["strategies"]) == len(STRATEGIES)
    assert json.loads(strategy)["key"] == "macd_slow"


@pytest.mark.slow
def test_the_track_record_of_the_readme_is_there(port: int, key: str):
    (commands,) = blocks("/api/predictions/ai-vs-market")
    wanted = commands.replace("\\\n", " ").strip().splitlines()
    markets, scores, streaks, apex, challenge = (json.loads(run(line, port, KEY=key)) for line in wanted)
    assert markets["count"] >= 40
    assert scores["count"] >= 300
    assert streaks["count"] > 9
    assert len(apex["layers"]) == 8
    assert challenge["question"] == "Will Bitcoin be above $60k?"


@pytest.mark.slow
def test_the_tournament_of_the_readme_is_open(port: int, key: str):
    (commands,) = blocks("/forecast ")
    markets = json.loads(run('curl -s http://127.0.0.1:8000/api/v1/predictions -H "X-API-Key: $KEY"', port, KEY=key))
    market = markets["markets"][0]["id"]
    wanted = commands.replace("\\\n", " ").replace("MARKET", market).strip().splitlines()
    forecast, usage = (json.loads(run(line, port, KEY=key)) for line in wanted)
    assert (forecast["market_id"], forecast["p_yes"], usage["forecaster"]) == (market, 0.62, "sturdy-owl")


@pytest.mark.slow
def test_the_ledger_of_the_readme_is_exported_and_verified(port: int, folder: Path, tmp_path: Path):
    commands, *_ = blocks("operator ledger export")
    output = run(commands.replace("ledger.jsonl", str(tmp_path / "ledger.jsonl")), port, DATA_DIR=str(folder / "var"))
    assert "The ledger is valid" in output


@pytest.mark.slow
def test_a_reader_verifies_the_ledger_without_a_key(port: int, tmp_path: Path):
    (commands,) = blocks("export_ledger")
    assert "The ledger is valid" in run(commands.replace("theirs.jsonl", str(tmp_path / "theirs.jsonl")), port)


@pytest.mark.slow
def test_a_webhook_is_created_as_the_documents_say(port: int, folder: Path):
    """By a key to which the operator has granted the plan; the sample is an event as the service knows it."""
    (register,), (grant,), (create,) = blocks("/register"), blocks("keys grant"), blocks("/api/v1/webhooks ")
    key = json.loads(run(register, port))
    run(grant.replace("KEY_ID", key["key_id"]), port, DATA_DIR=str(folder / "var"))
    answer = json.loads(run(create, port, KEY=key["api_key"]))
    assert (answer["secret"][:6], answer["webhook"]["assets"]) == ("whsec_", ["btc"])
    (sample,) = re.findall(r"```json\n(\{\"id\": .*?)```", README, re.DOTALL)
    assert EVENT.validate_json(sample).type in answer["webhook"]["events"]
    assert [name for name in EVENT_TYPES if f"`{name}`" not in README] == []


def test_the_agents_page_lists_the_tools_of_the_server():
    """And how an agent program starts it."""
    page = TEXTS[ROOT / "service" / "docs" / "agents.md"]
    (program,) = json.loads(re.search(r"```json\n(.*?)```", page, re.DOTALL).group(1))["mcpServers"].values()
    tools = asyncio.run(mcp_server.build(AsyncClient("http://127.0.0.1:8000")).list_tools())
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == [tool.name for tool in tools]
    assert program["args"] == ["-m", mcp_server.__name__]
    assert set(program["env"]) == {"PYTHONPATH", "ORACLE_URL", "ORACLE_KEY"}


@pytest.mark.slow
def test_the_bars_of_the_readme_can_be_replayed(port: int, tmp_path: Path):
    (command,) = blocks("/api/v1/candles")
    run(command.replace("> btc.csv", f"> {tmp_path / 'btc.csv'}"), port)
    assert len(open_replay(config.read({"WORLD": "replay", "REPLAY_DIR": str(tmp_path)})).bars["btc"]) > 119 * 24


@pytest.mark.slow
def test_the_python_of_the_readme_runs(port: int):
    """One block after the other, as in one notebook."""
    script = "".join(blocks("from service.client")).replace("127.0.0.1:8000", f"127.0.0.1:{port}")
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert "bull_probability" in done.stdout, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()[1:]] == ["question", *["vote"] * 9, "consensus"]


def test_the_models_of_the_readme_take_their_seats(tmp_path: Path):
    """No request is sent; a seat with a wrong provider, key or address would prevent the start of the service."""
    (commands,) = blocks("ORACLE_MODEL")
    engines = []
    for line in commands.strip().splitlines():
        variables = dict(word.split("=", 1) for word in line.partition("make run")[0].split())
        settings = config.read({**variables, "DATA_DIR": str(tmp_path)})
        voters = seated(VOTERS, settings, Budget(None, None, SpendingInMemory(), time.time))
        engines.append({voter.engine for voter in voters if voter.kind == "seat"})
    assert engines == [
        {"anthropic:claude-haiku-4-5"},
        {"openai:gpt-5-mini", "embedded/2"},
        {"ollama:llama3.2"},
        {"custom:mine", "embedded/2"},
    ]


@pytest.mark.slow
def test_a_replay_starts_as_the_readme_says(shared_data: Path, tmp_path: Path):
    (block,) = blocks("WORLD=replay")
    command = block.replace("FOLDER", str(shared_data / "candles" / "1h"))
    number, log = free_port(), tmp_path / "log"
    options = {"PORT": str(number), "DATA_DIR": str(tmp_path / "var")}
    with running([*SHELL, command], log, **options) as process:
        wait_until_ready(number, process, log)
        assert "replay" in log.read_text()


def test_the_live_world_is_a_world():
    """It needs the internet, so only its settings are tried here; the feed has tests of its own."""
    (command,) = blocks("WORLD=live")
    assert config.read({"WORLD": command.split()[0].removeprefix("WORLD=")}).world == "live"


@pytest.mark.slow
def test_the_operator_commands_run(port: int, folder: Path):
    (commands,) = blocks("keys mint --delegating --email bot@example.com")
    assert "nf_live_" in run(commands, port, DATA_DIR=str(folder / "var"))


@pytest.mark.slow
def test_the_bot_key_is_minted_and_its_options_are_read(port: int, folder: Path):
    (commands,) = blocks("make bot")
    mint, start = commands.strip().splitlines()
    key = re.search(r"nf_live_\w+", run(mint, port, DATA_DIR=str(folder / "var"))).group()
    variables = dict(word.split("=", 1) for word in start.partition("make bot")[0].split())
    assert bot.read({**variables, "BOT_ORACLE_KEY": key}).oracle_key == key
    for option in bot.BotSettings.__dataclass_fields__:
        name = {"oracle_key": "bot_oracle_key"}.get(option, option).upper()
        assert f"| `{name}` |" in README


@pytest.mark.slow
def test_the_python_of_the_workbench_runs(port: int, tmp_path: Path):
    """In a notebook of the checkout, whose folder has the one import."""
    script = "".join(blocks("ninefold_lab"))
    where = os.environ | {"ORACLE_URL": f"http://127.0.0.1:{port}", "XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=ROOT / "notebooks", env=where, capture_output=True, text=True, timeout=120)
    assert "lp_wide" in done.stdout, done.stderr
    assert "SIMULATED · BACKFILLED" in done.stdout, done.stderr


def test_the_options_of_the_workbench_are_the_ones_it_reads():
    set_by = {"ORACLE_URL": "http://10.0.0.1", "ORACLE_KEY": "k", "DATA_DIR": "/d", "LAB_PORT": "1", "LAB_BROWSER": "0"}
    for name in set_by:
        assert f"`{name}`" in README
    settings = workbench.read(set_by)
    assert (settings.oracle_url, settings.oracle_key, settings.data_dir) == ("http://10.0.0.1", "k", Path("/d"))
    assert (settings.port, settings.browser) == (1, False)


def test_every_named_make_target_exists():
    for target in sorted(set(re.findall(r"`make ([a-z-]+)", README)) - {"help"}):
        done = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, f"make {target}: {done.stderr}"
