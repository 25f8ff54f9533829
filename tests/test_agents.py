"""An agent reaches its score with nothing but `/llms.txt` and `/skill.md`, and by the tools for agents."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client

from service.client import AsyncClient
from service.client.mcp_server import build
from service.market.assets import ASSETS
from tests.running_service import RunningService, copied, listening, running_service

pytestmark = pytest.mark.slow

STEPS = 10
TOOLS = {"ask", "understand", "prices", "price_forecast", "open_markets", "market", "forecast_market", "forecasters"}
TOOLS |= {"leaderboard", "create_challenge"}


@pytest.fixture(scope="module")
def service(present: Path, tmp_path_factory) -> Iterator[RunningService]:
    with running_service(copied(present, tmp_path_factory.mktemp("agents"))) as service:
        service.work()
        yield service


@pytest.fixture(scope="module")
def address(service: RunningService) -> Iterator[str]:
    with listening(service.runtime.application()) as address:
        yield address


def answer_to(command: str, variables: dict[str, str]) -> dict[str, Any]:
    """What a step answers, run as it stands."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command], env=os.environ | variables, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_ten_steps_lead_from_a_key_to_a_score(address: str):
    """Each command of the text runs as it stands, with what the steps before it gave."""
    assert "/skill.md" in httpx.get(f"{address}/llms.txt").text
    text = httpx.get(f"{address}/skill.md").text
    commands = re.findall(r"^ *```sh\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)
    assert len(commands) == STEPS
    variables, answers = {"URL": address}, []
    for command in commands:
        answers.append(answer_to(command, variables))
        assert "code" not in answers[-1], answers[-1]
        if "api_key" in answers[-1]:
            variables["KEY"] = answers[-1]["api_key"]
        if "markets" in answers[-1]:
            variables["MARKET"] = answers[-1]["markets"][-1]["id"]
    _, reading, answer, *_ = answers
    forecast, score, usage = answers[-3:]
    assert reading["understood"]["deadline"]
    assert len(answer["votes"]) == 9
    assert (forecast["p_yes"], score["name"], usage["used"]) == (0.62, "steady-agent", 1)


def test_the_tools_answer_and_name_a_fault(address: str):
    """All that there are; a refused question says why."""

    async def converse() -> list[Any]:
        key = httpx.post(f"{address}/api/v1/register", json={"email": "tool@example.com"}).json()["api_key"]
        async with AsyncClient(address, key) as client, Client(build(client)) as agent:
            names = {tool.name for tool in (await agent.list_tools()).tools}
            answer = await agent.call_tool("ask", {"question": "Will Bitcoin rise this week?"})
            further = await agent.call_tool("ask", {"question": "and eth?", "context": answer.structured_content["id"]})
            refusal = await agent.call_tool("ask", {"question": "Will it rain?"})
            prices = await agent.call_tool("prices", {})
            return [names, answer.structured_content, further.structured_content, refusal, prices.structured_content]

    names, answer, further, refusal, prices = asyncio.run(converse())
    assert names == TOOLS
    assert len(answer["votes"]) == 9
    assert further["understood"]["asset"] == "eth"
    assert refusal.is_error
    assert "names no market" in refusal.content[0].text
    assert prices["count"] == len(ASSETS)
