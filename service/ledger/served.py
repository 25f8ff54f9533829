"""What a service serves about its markets, compared with the rows of its ledger: for anyone who can read both.

The markets are those of `/api/v1/predictions`, the rows those of an export. Probabilities are served with three
decimals, odds with four and scores with five, so that smaller changes cannot be seen from outside.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from service.ledger.chain import ChainEntry
from service.ledger.commitments import text_hash

KINDS = ("votes", "odds", "resolution", "score")
REASON = "the reason of "  # and the name of a voter


def differences(entries: Iterable[ChainEntry], markets: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """A sentence for each served value that is not what the rows say, and for each market that is not served.

    What happened after the last row is not compared, nor is a text that was withdrawn.
    """
    rows: dict[str, dict[str, ChainEntry]] = defaultdict(dict)
    withdrawn = set[str]()
    until = ""
    for entry in entries:
        until = entry.recorded_at
        if entry.kind in KINDS:
            rows[entry.subject][entry.kind] = entry
        elif entry.kind == "correction" and "withdrawn" in entry.body:
            withdrawn.add(entry.subject)
    ids = set[str]()
    for market in markets:
        ids.add(market["id"])
        if market["id"] not in rows and market["created_at"] >= until:
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
