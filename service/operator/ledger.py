"""Export, verify and correct the ledger, and compare with it what a service serves.

The markets of `/api/v1/predictions` are compared with the rows of an export. Probabilities are served with three
decimals, odds with four and scores with five, so smaller changes cannot be seen.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy.exc import DatabaseError

from service.client import MINUTE_LIMIT_S, Client
from service.config import Settings, SettingsError
from service.errors import InvalidRequest, ResourceNotFound, ServiceUnavailable
from service.jobs.audit import DOCUMENTS, document_differences, examine
from service.ledger.chain import ChainEntry, LedgerRow, taken_back
from service.ledger.commitments import text_hash
from service.ledger.verifier import read, verify
from service.operator.commands import CommandOutput, Commands, CommandTable, add
from service.operator.maintenance import require_current_database
from service.store import ledger, migrations, world
from service.store.audit import FIRST, Audit
from service.store.database import Database, revision_at

KINDS = ("votes", "odds", "resolution", "score")
REASON = "the reason of "  # and the name of a voter


def register_ledger(verbs: Commands) -> None:
    """Export the ledger, verify it against the tables, and add corrections to it."""
    against = add(verbs, "verify", verify_ledger, "offline")
    against.add_argument("--against", metavar="FILE|URL", help="a file that `backup` made, or the address of a service")
    against.add_argument("--api-key", metavar="KEY", help="a key of that service")
    add(verbs, "export", export_ledger).add_argument(
        "file", metavar="FILE", type=Path, help="the file to create; must not exist yet"
    )
    correction = add(verbs, "correct", correct_ledger)
    correction.add_argument("seq", metavar="SEQ", type=int)
    correction.add_argument("--note", required=True, help="what is wrong and what is right; it is published")


def verify_ledger(arguments: argparse.Namespace, settings: Settings) -> CommandOutput:
    """Verify the ledger, and that what is stored or served is what its rows say: outcomes, votes, odds and scores.

    Of a backup or of this database every value that a row holds is compared, also trades of lanes, calls of apex and
    price forecasts; of a service its markets and their scores. Each 200 markets are a call of the API key.
    """
    target = arguments.against or settings.database
    if str(target).startswith(("http://", "https://")):
        result = _served(target, arguments.api_key, settings.authorities or b"")
    elif arguments.against and not Path(target).is_file():
        raise ResourceNotFound(f"There is no file {target}.")
    else:
        url = f"sqlite:///{target}" if arguments.against else target
        if arguments.against:
            _require_current_file(target)
        else:
            require_current_database(settings)
        result = examine(url, int(time.time()), settings.authorities)
    column, texts = "difference" if result.differences else "result", result.first or (result.sentence,)
    return CommandTable((column,), [{column: text} for text in texts], not result.differences)


def _require_current_file(file: str) -> None:
    revision, newest = None, migrations.head()
    with suppress(DatabaseError):
        revision = revision_at(f"sqlite:///{file}")
    if revision != newest:
        raise SettingsError(f"{file} is a database of revision {revision or 'none'}; this version needs {newest}.")


def _served(url: str, api_key: str | None, certificates: bytes) -> Audit:
    """The audit of what a service serves at this address."""
    client = Client(url, api_key, longest_wait_s=MINUTE_LIMIT_S)
    # Before the rows that they follow from.
    documents = {name: getattr(client, name.replace("-", "_"))() for name in DOCUMENTS}
    lines = list(client.export_ledger())
    faults = [fault] if (fault := verify(lines, certificates=certificates).fault) else []
    entries = [entry for line in lines if isinstance(entry := read(line), ChainEntry)]
    void = taken_back(entries)
    standing = [entry for entry in entries if entry.seq not in void]
    faults += served_differences(standing, client.pages("predictions", status="all"))
    faults += document_differences(lambda: standing, documents)
    return Audit(int(time.time()), len(entries), len(faults), tuple(faults[:FIRST]))


def export_ledger(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """Write the whole ledger as lines of JSON, for `python -m service.ledger verify`."""
    lines = 0
    try:
        # Line endings are not part of any hash, but the file must be the same on every system.
        with database.reading() as db, open(arguments.file, "x", encoding="utf-8", newline="\n") as file:
            for line in ledger.export(db):
                file.write(f"{line}\n")
                lines += 1
    except FileExistsError:
        raise InvalidRequest(f"{arguments.file} exists already; an export does not overwrite files.") from None
    except OSError as error:
        raise ServiceUnavailable(f"The export could not be written: {error}.") from error
    return {"file": str(arguments.file), "bytes": arguments.file.stat().st_size, "lines": lines}


def correct_ledger(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """Add a row that states an error in an earlier row; the earlier row does not change."""
    note = arguments.note.strip()
    if not note:
        raise InvalidRequest("The note must state what is wrong in the row and what is right.")
    with database.writing() as db:
        now = world.find_clock(db).at(time.time())
        original = ledger.find_entry(db, arguments.seq)
        if original is None:
            raise ResourceNotFound(f"There is no row {arguments.seq} in the ledger.")
        row = LedgerRow("correction", original.subject, {"corrects": arguments.seq, "note": note}, original.backfilled)
        (entry,) = ledger.append(db, [row], now)
    return {"seq": entry.seq, "corrects": arguments.seq, "subject": entry.subject, "recorded_at": entry.recorded_at}


def served_differences(entries: Iterable[ChainEntry], markets: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """A sentence for each served value that is not what the rows say, and for each market that is not served.

    What happened after the last row is not compared, nor is a text that was withdrawn.
    """
    rows: dict[str, dict[str, ChainEntry]] = defaultdict(dict)
    withdrawn, subjects = set[str](), set[str]()
    until = ""
    for entry in entries:
        until = entry.recorded_at
        subjects.add(entry.subject)
        if entry.kind in KINDS:
            rows[entry.subject][entry.kind] = entry
        elif entry.kind == "correction" and "withdrawn" in entry.body:
            withdrawn.add(entry.subject)
    ids = set[str]()
    for market in markets:
        ids.add(market["id"])
        if market["id"] not in subjects:
            if market["created_at"] < until:
                yield f"{market['id']} is served, and no row of the ledger is about it."
            continue
        for name, value, expected, digits in _pairs(market, rows[market["id"]], until):
            if market["id"] in withdrawn and (name in ("question", "rule") or name.startswith(REASON)):
                continue
            if isinstance(expected, dict) and isinstance(salt := (market["commitment"] or {}).get("salt"), str):
                value = text_hash(value, salt)
            if not _is_same(value, expected, digits):
                yield f"{market['id']}: {name} is served as {value!r}, the ledger says {expected!r}."
    for id, kinds in rows.items():
        if "votes" in kinds and id not in ids and kinds["votes"].body["category"] != "challenge":
            yield f"{id} is in row {kinds['votes'].seq} of the ledger, and is not served."


def _pairs(
    market: Mapping[str, Any], rows: Mapping[str, ChainEntry], until: str
) -> Iterator[tuple[str, Any, Any, int]]:
    """The name of each value, as it is served and as the rows have it, and with how many decimals it is served."""
    votes, odds, resolution, score = (rows[kind].body if kind in rows else None for kind in KINDS)
    verdict = market["resolution"]
    if resolution or verdict["outcome"] is None or verdict["resolved_at"] < until:
        for name in ("outcome", "resolved_at", "evidence"):
            yield name, verdict[name], resolution and resolution[name], 0
    own_score = market["score"] or {}
    if score or verdict["outcome"] is None:
        yield "brier_ai", own_score.get("brier_ai"), score and score["brier"], 5
        yield "brier_market", own_score.get("brier_market"), score and score["brier_market"], 5
    if votes is None:
        yield "ai", market["ai"], None, 0
        return
    yield "rule", verdict["rule"], votes["rule"], 0
    for name in ("created_at", "closes_at", "deadline"):
        yield name, market[name], votes[name], 0
    yield "question", market["question"], votes["question"]["text"], 0
    commitment = market["commitment"] or {}
    yield "seq", commitment.get("seq"), rows["votes"].seq, 0
    yield "hash", commitment.get("hash"), rows["votes"].hash, 0
    if market["ai"]:
        yield "p_yes", market["ai"]["p_yes"], _bounded(votes["p"]), 3
        by_voter = {vote["voter"]: vote for vote in votes["votes"]}
        yield "voters", sorted(market["ai_votes"]), sorted(by_voter), 0
        for voter in by_voter.keys() & market["ai_votes"].keys():
            vote, row = market["ai_votes"][voter], by_voter[voter]
            yield f"the vote of {voter}", vote["p_yes"], _bounded(row["p"]), 3
            yield f"{REASON}{voter}", vote["reasoning"], row["reasoning"], 0
    quote = market["market_odds"]
    yield "odds", quote and quote["p_yes"], odds and odds["p_yes"], 4


def _bounded(p: float) -> float:
    """A probability within the bounds of those that are served."""
    return min(0.999, max(0.001, p))


def _is_same(value: Any, expected: Any, digits: int) -> bool:
    """Whether two values are equal; of numbers, but for the rounding to these decimals and, in a row, to one more."""
    if isinstance(value, float) and isinstance(expected, float):
        return abs(value - expected) <= 0.56 * 10**-digits
    return value == expected
