"""The tour: a price question and a Fed question go through votes, consensus and record; the operator settles one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from service.client import Client
from tests.demo.small_model import InstallError, seat_options
from tests.processes import ROOT, running, wait_until_ready

ANSWER_S = 150
HISTORY_DAYS = "100"
PRICE_QUESTION = "Will Bitcoin rise this week?"


@dataclass(frozen=True)
class DemoService:
    """A service with the small model in its six seats, its data in a folder of its own."""

    address: str
    options: dict[str, str]

    def operate(self, *words: str) -> Any:
        """The JSON that a command of the operator prints."""
        command = [sys.executable, "-m", "service.operator", *words, "--json"]
        done = subprocess.run(command, cwd=ROOT, env=os.environ | self.options, capture_output=True, text=True)
        if done.returncode:
            raise InstallError(f"The operator's command failed: {done.stderr.strip()[-300:]}")
        return json.loads(done.stdout)


@contextmanager
def demo_service(model_url: str, folder: Path, port: int) -> Iterator[DemoService]:
    """The service, ready, until the end of the block. Raises InstallError if it does not start."""
    options = {
        "PORT": str(port),
        "DATA_DIR": str(folder),
        "WORLD": "simulated",
        "HISTORY_DAYS": HISTORY_DAYS,
        "LOG_LEVEL": "error",
    } | seat_options(model_url)
    log = folder / "service.log"
    with running([sys.executable, "app.py"], log, **options) as process:
        try:
            wait_until_ready(port, process, log)
        except AssertionError as failure:
            raise InstallError(f"The service did not start: {str(failure)[-500:]}") from failure
        yield DemoService(f"http://127.0.0.1:{port}", options)


def fed_question() -> str:
    """A question that no price decides, with a date a month from now."""
    return f"Will the Fed cut rates by {datetime.now(UTC) + timedelta(days=30):%Y-%m-%d}?"


def show(service: DemoService) -> None:
    """Ask both questions, print what comes, and settle the Fed question as the operator does."""
    with Client(service.address) as client:
        key = client.register("newcomer@example.com")["api_key"]
    with Client(service.address, key, timeout_s=ANSWER_S) as client:
        ask(client, PRICE_QUESTION)
        answer = ask(client, fed_question())
    print("The operator settles it once the outcome is public (here: no), and the votes are scored:\n")
    words = ("answers", "resolve", answer["id"], "no", "--evidence", "a demonstration, not a fact")
    print(f"  python -m service.operator {' '.join(words[:4])} --evidence …")
    print(f"  {json.dumps(service.operate(*words))}\n")


def ask(client: Client, question: str) -> dict[str, Any]:
    """The answer, printed vote by vote. Raises InstallError where the stream ends without one."""
    print(f"\n{question}\n")
    for event in client.ask_stream(question):
        match event["event"]:
            case "vote":
                vote = event["vote"]
                p_yes = f"P(YES) {100 * vote['p_yes']:.0f}%"
                print(f"  {event['voter']:10} {vote['engine']:22} {p_yes:11} {vote['reasoning']}")
            case "abstention":
                print(f"  {event['voter']:10} abstains: {event['reason']}")
            case "consensus":
                print(
                    f"\n  consensus of {event['consensus']['oracles_count']} votes: {100 * event['p_yes']:.0f}% YES\n"
                )
                return event
    raise InstallError("The stream ended without a consensus.")
