"""Runs inside one checkout and writes what it answers as JSON lines; `compare_checkouts` starts it and compares.

`python checkout_dump.py STEP INPUTS OUTPUT`, with the checkout as the working directory: `app`, `service` and `tests`
are imported from there. All that this file knows of a checkout's insides stands in `names`.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import import_module
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TextIO
from unittest.mock import patch

# Saturday evening. A week and a month begin in the three days after it, and the market of the metals opens.
WALL = int(datetime(2026, 11, 28, 20, 2, tzinfo=UTC).timestamp())
HOUR_S = 3600
OPTIONS = {"ledger_key": "11" * 32, "key_secret": "the secret of the comparison", "history_days": 120}

# Questions and deadlines: prices decide some of them within the three days, the operator two, and two are refused.
CHALLENGES = (
    ("Will Bitcoin be up at the end of 30 November 2026?", "2026-11-30"),
    ("Will ETH touch 2,000 USD?", "2026-12-31"),
    ("Will Solana outperform Ethereum?", "2026-11-29"),
    ("Will gold close below 3,000 USD?", "2026-12-01"),
    ("Will Bitcoin be between 50,000 and 60,000 USD?", "2026-11-30"),
    ("Will XRP not fall by 10%?", "2026-12-05"),
    ("Will Tesla sell its bitcoin?", "2026-12-15"),
    ("Will the SEC approve a Solana ETF?", "2026-12-31"),
    ("Who wins the world cup?", "2026-12-31"),
    ("Will Bitcoin be above 60,000 USD?", "2024-01-01"),
)
QUESTION = {"question": "Will Bitcoin rise tomorrow?"}
# Requests that are refused, each for another reason: method, path, body.
REFUSALS: tuple[tuple[str, str, Any], ...] = (
    ("POST", "/api/v1/oracle", QUESTION),
    ("GET", "/api/v1/oracle", None),
    ("POST", "/api/v1/register", {"email": "nobody"}),
    ("POST", "/api/challenges/create", {"question": "Up?", "deadline": "soon"}),
    ("POST", "/api/v1/predictions/none/vote", {"vote": "yes"}),
    ("GET", "/nowhere", None),
    ("GET", "/api/v1/predictions/challenge-999", None),
    ("GET", "/api/v1/strategies/none", None),
    ("GET", "/api/v1/ledger/999999", None),
    ("GET", "/api/v1/ledger?limit=0", None),
    ("GET", "/api/v1/bot-battle/history?lane=none", None),
    ("GET", "/api/v1/strategy-hospital?month=1", None),
)
# Read beside every value of every listed query.
QUERIES = (
    "/api/v1/strategy-hospital?month=2026-09",
    "/api/v1/strategy-hospital?month=2026-10",
    "/api/v1/strategy-hospital?month=2026-11",
    "/api/v1/bot-battle/history?since=2026-11-30T06:00Z&until=2026-11-30T18:00Z",
    "/api/v1/ledger/roots?since=2026-11-30&limit=1",
)


def names() -> SimpleNamespace:
    """What the steps need of a checkout: under its present name, else under the one of an older checkout.

    Of the running service the steps use `client`, `wall`, `work()` and `move(seconds)`.
    """
    return SimpleNamespace(
        understand=_understanding(),
        refusal=_first("service.errors:NinefoldError"),
        running_service=_first("tests.running_service:running_service", "tests.houses:resident"),
        operator=_first("service.operator.__main__:main"),
        ledger=_first("service.ledger.__main__:main"),
    )


def _understanding() -> Any:
    """The understanding of a text at an instant with prices and a deadline, which older checkouts take one by one."""
    understand = _first("service.questions:understand", "service.forecasting.questions:understand")
    circumstances = getattr(import_module(understand.__module__.rpartition(".")[0]), "Circumstances", None)
    return understand if circumstances is None else lambda text, *args: understand(text, circumstances(*args))


def _first(*places: str) -> Any:
    """The first that exists of the places `module:name`; a module that exists must be importable."""
    for place in places:
        path, _, name = place.partition(":")
        try:
            module = import_module(path)
        except ModuleNotFoundError as error:
            if not f"{path}.".startswith(f"{error.name}."):
                raise
            continue
        if hasattr(module, name):
            return getattr(module, name)
    raise SystemExit(f"{Path.cwd()} has none of {', '.join(places)}: correct `names` in {Path(__file__).name}.")


class Dump:
    """A file of JSON lines, one item each: a section, a name that is unique in it, and what was answered."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, section: str, name: str, **content: Any) -> None:
        self._counts[section, name] += 1
        number = self._counts[section, name]
        content |= {"section": section, "name": name if number == 1 else f"{name} #{number}"}
        self._file.write(json.dumps(content, ensure_ascii=False) + "\n")


def dump_questions(inputs: dict[str, Any], dump: Dump) -> None:
    """What every text of the table is understood as: without a deadline beside it, and with one."""
    checkout = names()
    for case in inputs["cases"]:
        now = datetime.fromisoformat(case["now"])
        for until in (None, datetime(now.year, 12, 31, 23, 59, 59, tzinfo=UTC)):
            try:
                body = asdict(checkout.understand(case["text"], now, inputs["spots"], until))
            except checkout.refusal as refusal:
                body = {"code": refusal.code, "errors": [asdict(error) for error in getattr(refusal, "errors", ())]}
                body["detail"] = refusal.detail
            name = f"{case['text']} | at {now:%Y-%m-%d %H:%M} | until {until and until.date()}"
            dump.add("questions", name, text=json.dumps(body, default=str))


def dump_world(inputs: dict[str, Any], dump: Dump) -> None:
    """Some days of a seeded world: its documents, answers, votes, refusals and ledger."""
    checkout, questions, draws = names(), inputs["oracle"], Draws()
    with (
        patch("secrets.token_bytes", draws.token_bytes),
        tempfile.TemporaryDirectory() as folder,
        checkout.running_service(Path(folder), wall=WALL, **OPTIONS) as service,
    ):
        world = World(checkout, service, Path(folder), dump, draws)
        world.send("refusals", "GET", "/readyz")
        service.work()
        world.begin(questions)
        for hour in range(1, inputs["hours"]):
            service.move(HOUR_S)
            if hour % 24 == 0:
                world.spend_a_day(questions[hour // 24 :: 10], f"hour {hour}")
        world.resolve_and_correct()
        service.move(HOUR_S)
        world.end()


class Draws:
    """Stands in for random bytes: the same for a module's first draw during a request, its second, and so on.

    So it does not matter how many other modules draw; a module that draws is known by the name of its file.
    """

    def __init__(self) -> None:
        self._occasion, self._counts = 0, Counter[tuple[str, int | None]]()

    def next_occasion(self) -> None:
        self._occasion += 1
        self._counts.clear()

    def token_bytes(self, nbytes: int | None = None) -> bytes:
        frame = sys._getframe(1)
        while frame.f_globals["__name__"] == "secrets":
            frame = frame.f_back
        place = Path(frame.f_code.co_filename).stem, nbytes
        self._counts[place] += 1
        seed = f"{self._occasion} {place} {self._counts[place]}"
        return hashlib.shake_256(seed.encode()).digest(nbytes or 32)


class World:
    """A running service and two keys, and the dump of everything that the service answers."""

    def __init__(self, checkout: SimpleNamespace, service: Any, folder: Path, dump: Dump, draws: Draws) -> None:
        self._checkout, self._service, self._folder, self._dump = checkout, service, folder, dump
        self._draws = draws
        self._requests = count()
        self._host = ""  # a key that may name end users

    def begin(self, questions: list[str]) -> None:
        """After the first start: keys, challenges, questions, votes and refusals."""
        self._host = self._operate("keys", "mint", "--email=host@example.com", "--plan=paid", "--delegating")["api_key"]
        self._read("first start")
        for number, (question, deadline) in enumerate(CHALLENGES):
            body = {"question": question, "deadline": deadline}
            for _ in range(2):  # the second is a retry and gets the same answer
                headers = {"Idempotency-Key": f"challenge-{number}"}
                path = "/api/challenges/create"
                self.send("challenges", "POST", path, body, user=f"author {number}", headers=headers)
        self._ask(questions)
        self._service.move(4)
        self._vote("yes")
        self._exhaust()

    def spend_a_day(self, questions: list[str], stage: str) -> None:
        """More questions, other votes, and every document once more."""
        self._ask(questions)
        self._vote("no")
        self._read(stage)

    def resolve_and_correct(self) -> None:
        """The operator resolves a challenge that no price decides, and corrects a row of the ledger."""
        rows = self.send("challenges", "GET", "/api/challenges/active")["challenges"]
        number = min(challenge["number"] for challenge in rows if challenge["resolution"]["source"] == "hand")
        self._operate("challenges", "resolve", str(number), "no", "--evidence=https://example.com/filing")
        self._operate("ledger", "correct", "5", "--note=A note of the operator.")

    def end(self) -> None:
        """Everything that can be read, with all ids and queries, and the whole ledger."""
        self._vote("yes")
        self._read("end")
        paths = self._service.client.get("/api/openapi.json").get_json()["paths"]
        for path in (*_queries(paths), *QUERIES):
            self.send("documents", "GET", path, user="reader of queries")
        board = self.send("documents", "GET", "/api/v1/leaderboard", user="reader of strategies")
        for entry in board["entries"]:
            self.send("documents", "GET", f"/api/v1/strategies/{entry['key']}")
        for number in range(1, len(CHALLENGES) + 1):
            self.send("challenges", "GET", f"/api/v1/predictions/challenge-{number}")
        self._operate("challenges", "list")
        self._read_ledger()
        self.send("metrics", "GET", "/metrics")

    def send(
        self,
        section: str,
        method: str,
        path: str,
        body: Any = None,
        *,
        user: str = "",
        key: str = "",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """The JSON of an answer, which is dumped. Every request has its own address; an end user has the host's key."""
        headers = dict(headers or {})
        if user:
            headers |= {"X-API-Key": self._host, "X-End-User": user}
        if key:
            headers["X-API-Key"] = key
        self._draws.next_occasion()
        request = next(self._requests)
        address = {"REMOTE_ADDR": f"10.0.{request // 250}.{request % 250 + 1}"}
        answer = self._service.client.open(path, method=method, json=body, headers=headers, environ_base=address)
        name = f"{method} {path}" + (f" {json.dumps(body, ensure_ascii=False)[:200]}" if body else "")
        text = answer.get_data(as_text=True)
        self._dump.add(section, name, status=answer.status_code, headers=dict(answer.headers), text=text)
        return answer.get_json(silent=True)

    def _read(self, stage: str) -> None:
        """Every GET endpoint that needs no id."""
        for path, methods in self._service.client.get("/api/openapi.json").get_json()["paths"].items():
            if "get" in methods and "{" not in path and path != "/metrics":
                brief = f"{path}?seconds=1" if path == "/api/v1/events" else path  # a stream, else of five minutes
                self.send("documents", "GET", brief, user=f"reader at {stage}")

    def _ask(self, questions: list[str]) -> None:
        """Questions to the oracle, and one that is answered as a stream."""
        for number, question in enumerate(questions):
            self.send("answers", "POST", "/api/v1/oracle", {"question": question}, user=f"asker {number % 5}")
        stream = {"Accept": "text/event-stream"}
        self.send("answers", "POST", "/api/v1/oracle", QUESTION, user="listener", headers=stream)

    def _vote(self, opinion: str) -> None:
        """The votes of an end user and of an address, on some markets and on every challenge."""
        rows = self.send("documents", "GET", "/api/v1/predictions", user="voter")["markets"][::20]
        paths = [f"/api/v1/predictions/{market['id']}" for market in rows]
        for path in (*paths, *(f"/api/v1/predictions/challenge-{number}" for number in range(1, len(CHALLENGES)))):
            self.send("user votes", "POST", f"{path}/vote", {"vote": opinion}, user="voter")
            self.send("user votes", "POST", f"{path}/vote", {"vote": "yes"})

    def _exhaust(self) -> None:
        """Every refusal, those of a key, and the quota of a free key until it is used up."""
        for method, path, body in REFUSALS:
            self.send("refusals", method, path, body)
        key = self.send("answers", "POST", "/api/v1/register", {"email": "reader@example.com"})["api_key"]
        for body in ({"question": ""}, {"text": 1}, {"question": "x" * 20_000}, *[QUESTION] * 12):
            self.send("refusals", "POST", "/api/v1/oracle", body, key=key)
        self.send("refusals", "GET", "/api/v1/me", key=key)
        self.send("refusals", "POST", "/api/v1/oracle", QUESTION, key=key[:-1])

    def _read_ledger(self) -> None:
        """The ledger as the operator exports it, which must verify, and as it is read page by page."""
        file = self._folder / "ledger.jsonl"
        self._operate("ledger", "export", str(file))
        with contextlib.redirect_stdout(io.StringIO()) as verdict:
            if self._checkout.ledger(["verify", str(file)]):
                raise SystemExit(f"The ledger does not verify: {verdict.getvalue()}")
        lines = file.read_text(encoding="utf-8").split("\n")[:-1]
        for line in lines:
            row = json.loads(line)
            name = f"{row['kind']} {row['subject']}" if row["type"] == "row" else f"root {row['day']}"
            self._dump.add("ledger", name, text=line)
        for path in (f"/api/v1/ledger?first_seq={seq}&limit=500" for seq in range(1, len(lines), 500)):
            self.send("ledger pages", "GET", path)
        for seq in (1, 100, 2000):
            self.send("ledger pages", "GET", f"/api/v1/ledger/{seq}")
            self.send("ledger pages", "GET", f"/api/v1/ledger/proof/{seq}")

    def _operate(self, *words: str) -> Any:
        """The JSON that a command of the operator prints at the service's instant."""
        self._draws.next_occasion()
        options = {name.upper(): str(value) for name, value in (OPTIONS | {"data_dir": self._folder}).items()}
        with (
            contextlib.redirect_stdout(io.StringIO()) as output,
            patch("time.time", lambda: self._service.wall),
            patch.dict(os.environ, options, clear=True),
        ):
            status = self._checkout.operator([*words, "--json"])
        result = output.getvalue() or "{}"
        if words[:2] != ("ledger", "export"):  # that one prints where the file is
            self._dump.add("operator", " ".join(words), status=status, text=result)
        return json.loads(result)


def _queries(paths: dict[str, Any]) -> Iterator[str]:
    """The GET endpoints with each value of each query whose values are listed."""
    for path, methods in paths.items():
        for query in methods.get("get", {}).get("parameters", ()):
            if query["in"] == "query":
                yield from (f"{path}?{query['name']}={value}" for value in query["schema"].get("enum", ()))


def main(step: str, inputs: str, output: str) -> None:
    """Run one step on the JSON of the file `inputs`."""
    sys.path[0] = str(Path.cwd())
    steps = {"questions": dump_questions, "world": dump_world}
    with open(output, "x", encoding="utf-8") as file:
        steps[step](json.loads(Path(inputs).read_text(encoding="utf-8")), Dump(file))


if __name__ == "__main__":
    main(*sys.argv[1:])
