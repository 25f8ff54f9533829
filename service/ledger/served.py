"""What a service serves about its markets, compared with the rows of its ledger: for anyone who can read both.

The markets are those of `/api/v1/predictions`, the rows those of an export. Probabilities are served with three
decimals, odds with four and scores with five, so that smaller changes cannot be seen from outside.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from service.ledger.chain import ChainEntry

KINDS = ("votes", "odds", "resolution", "score")


def differences(entries: Iterable[ChainEntry], markets: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """A sentence for each served value that is not what the rows say, and for each market that is not served.

    What happened after the last row is not compared.
    """
    rows: dict[str, dict[str, ChainEntry]] = defaultdict(dict)
    until = ""
    for entry in entries:
        until = entry.recorded_at
        if entry.kind in KINDS:
            rows[entry.subject][entry.kind] = entry
    ids = set[str]()
    for market in markets:
        ids.add(market["id"])
        if market["id"] not in rows and market["created_at"] >= until:
            continue
        for name, value, expected in _pairs(market, rows[market["id"]], until):
            if not _is_same(value, expected):
                yield f"{market['id']}: {name} is served as {value!r}, the ledger says {expected!r}."
    for id, kinds in rows.items():
        if "votes" in kinds and id not in ids and kinds["votes"].body["category"] != "challenge":
            yield f"{id} is in row {kinds['votes'].seq} of the ledger, and is not served."


def _pairs(market: Mapping[str, Any], rows: Mapping[str, ChainEntry], until: str) -> Iterator[tuple[str, Any, Any]]:
    """The name of each value, as it is served and as the rows have it."""
    votes, odds, resolution, score = (rows[kind].body if kind in rows else None for kind in KINDS)
    ruling = market["resolution"]
    if resolution or ruling["outcome"] is None or ruling["resolved_at"] < until:
        for name in ("outcome", "resolved_at", "evidence"):
            yield name, ruling[name], resolution and resolution[name]
    own_score = market["score"] or {}
    if score or ruling["outcome"] is None:
        yield "brier_ai", own_score.get("brier_ai"), score and score["brier"]
        yield "brier_market", own_score.get("brier_market"), score and score["brier_market"]
    if votes is None:
        yield "ai", market["ai"], None
        return
    yield "rule", ruling["rule"], votes["rule"]
    for name in ("created_at", "closes_at", "deadline"):
        yield name, market[name], votes[name]
    yield "question", market["question"], votes["question"]["text"]
    yield "seq", market["commitment"] and market["commitment"]["seq"], rows["votes"].seq
    yield "hash", market["commitment"] and market["commitment"]["hash"], rows["votes"].hash
    if market["ai"]:
        yield "p_yes", market["ai"]["p_yes"], votes["p"]
        by_voter = {vote["voter"]: vote for vote in votes["votes"]}
        yield "voters", sorted(market["ai_votes"]), sorted(by_voter)
        for voter, vote in market["ai_votes"].items():
            yield f"the vote of {voter}", vote["p_yes"], by_voter.get(voter, {}).get("p")
            yield f"the reason of {voter}", vote["reasoning"], by_voter.get(voter, {}).get("reasoning")
    quote = market["market_odds"]
    yield "odds", quote and quote["p_yes"], odds and odds["p_yes"]


# A served probability has three decimals and lies between the bounds.
ROUNDING = 0.00051
LEAST, GREATEST = 0.001, 0.999


def _is_same(value: Any, expected: Any) -> bool:
    if isinstance(value, float) and isinstance(expected, float):
        bound = min(GREATEST, max(LEAST, expected)) if value in (LEAST, GREATEST) else expected
        return abs(value - bound) <= ROUNDING
    return value == expected
