"""Two answers of two checkouts, compared value by value: numbers as they are written, fields and rows in their order.

The lists at the top say what may differ, and why. Anything else is DIFFERENT.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

# Never the same twice: compared by presence and type.
RANDOM = {
    "api_key": "a secret, drawn at random",
    "key_id": "drawn at random with the key",
    "request_id": "drawn at random for every request",
    "X-Request-ID": "the same in a header",
    "latency_ms": "measured on the machine's clock",
    "features": "a hash over the voters' inputs and their names, some of which were renamed",
}
# The `id` of an oracle's answer is drawn at random; other ids are not.
RANDOM_ID = re.compile(r"POST /api/v1/oracle .*")
# Measured seconds, the instants at which counters start, and the interpreter's state. Counts are compared.
RANDOM_METRIC = re.compile(r"(python|process)_.*|\w+_(sum|bucket|created)\b.*")

# Prose: a text under one of these names, or in a list or an object of that name, is compared by presence and type.
# `limit` is prose in /api/v1/docs and a number elsewhere; `page` and `help` are the text of /docs and of metrics.
WORDS = {
    *("reasoning", "detail", "message", "description", "summary", "title", "rule", "evidence", "label", "note"),
    *("notes", "abstained", "reading", "silent", "sources", "failed", "fee", "caveat", "what_it_proves", "limit"),
    *("page", "help"),
}
# Of an OpenAPI document the examples, whatever their form, and the names of schemas, which are those of classes.
EXAMPLES = {"example", "examples"}
# Derived from words elsewhere: a row's hash also from the row before it, a tag and a length from the whole answer.
# They must be the same where the answer is.
DERIVED = {"hash", "previous", "root", "head", "signature", "ETag", "Content-Length"}

# What follows from the shortened headlines: for an item the paths in its body that may differ.
HEADLINES = [
    # The pulse is the score of the headlines; its topics are their words.
    (r"GET /api/predictions/news-pulse.*", r"direction|score|n|(by_asset|topics|headlines)/.*"),
    # The news layer and its record, the weights that depend on it, and the call that all layers are fused into.
    (r"GET /api/apex/status.*", r"(vote|special_mode|record|layers/news)/.*|agreement|confidence|layers/\w+/weight"),
    # The fund holds what the calls say; the benchmark and the instants of the curve do not depend on them.
    (r"GET /api/apex/fund.*", r"(equity|pnl|cash|quantity|exposure|fees|max_drawdown|versus_hold)_\w+|sharpe\w*"),
    (r"GET /api/apex/fund.*", r"trades(_count|/.*)|equity/\d+/equity_usd"),
    (r"GET /api/apex/fund.*", r"books/\d+/(fund/.*|trades_count|versus_benchmark_pct)"),
    (r"GET /api/widget/consensus.*", r"news/.*|consensus/(direction|strength|\w+_probability)"),
    # Apex's vote on a challenge, which stands outside the voters' pool, and its score.
    (r"(GET|POST) /api/challenges/.*", r"(challenges/[^/]+/)?apex/(p_yes|direction|conviction)"),
    (r"votes challenge-.*", r"body/votes/apex/p"),
    (r"score challenge-.*", r"body/brier_by_voter/apex"),
    (r"GET /api/v1/ledger.*", r"(entries/\d+|entry)/body/(votes/apex/p|brier_by_voter/apex)"),
]

KINDS = ("identical", "words only", "follows from headlines", "DIFFERENT")
MASKED, WORDED, FOLLOWS, DIFFERENT = range(len(KINDS))  # what is RANDOM counts as identical
ABSENT = "(absent)"
NAMES = ("voter", "id", "name", "key", "seq")  # the fields by which the elements of a list are told apart

Item = dict[str, Any]
Path = tuple[str, ...]


class Number(str):
    """A number of a JSON document as it is written; its type is not that of a text."""

    __slots__ = ()
    __repr__ = str.__str__


@dataclass(frozen=True)
class Difference:
    """Two values at one path of an item; `kind` is an index of KINDS."""

    item: str
    path: str
    old: Any
    new: Any
    kind: int

    @property
    def field(self) -> str:
        """The name that makes the value prose."""
        return next(name for name in self.path.split("/") if name in WORDS | EXAMPLES | DERIVED)

    @property
    def place(self) -> str:
        """The item and the path without what is counted in them and what was sent."""
        item = re.sub(r"\?.*| \{.*| \|.*| #.*|\d+$", "", self.item)
        return f"{item}  {re.sub(r'(?<=/)[^/]*[0-9][^/]*', '*', self.path)}"


def compare(name: str, old: Item | None, new: Item | None) -> Iterator[Difference]:
    """What differs between two items of one name; an item has a `text` and may have a status and headers."""
    if old is None or new is None:
        yield Difference(name, "(item)", "present" if old else ABSENT, "present" if new else ABSENT, DIFFERENT)
        return
    is_api = "openapi" in name
    pairs = list(_pairs(_content(old, is_api), _content(new, is_api), ()))
    kinds = [_kind(name, *pair, is_api) for pair in pairs]
    is_same, is_masked = old["text"] == new["text"], all(kind == MASKED for kind in kinds if kind is not None)
    for (path, left, right), kind in zip(pairs, kinds, strict=True):
        if kind is None:
            kind = DIFFERENT if is_same else MASKED if is_masked and path[-1] == "Content-Length" else WORDED
        yield Difference(name, "/".join(path), left, right, kind)
    is_body_equal = all(path[0] == "headers" for path, _, _ in pairs)
    if is_body_equal and not is_same and not is_api and name != "GET /metrics":
        yield Difference(name, "(bytes)", old["text"], new["text"], DIFFERENT)


def _kind(item: str, path: Path, old: Any, new: Any, is_api: bool) -> int | None:
    """The kind of a difference; None where the value is derived from others."""
    inner = "/".join(path).removeprefix("body/")
    if any(re.fullmatch(pattern, item) and re.fullmatch(allowed, inner) for pattern, allowed in HEADLINES):
        return FOLLOWS
    if is_api and EXAMPLES & set(path):
        return WORDED
    if type(old) is not type(new) or ABSENT in (old, new):
        return DIFFERENT
    if path[-1] in RANDOM or (path[-1] == "id" and RANDOM_ID.fullmatch(item)):
        return MASKED
    if type(old) is str and _is_prose(path):
        return WORDED
    return None if path[-1] in DERIVED else DIFFERENT


def _is_prose(path: Path) -> bool:
    """Whether the value's own name or that of what holds it is in WORDS; the `properties` of a schema are names."""
    return any(name in WORDS and holder != "properties" for holder, name in zip(path[-3:], path[-2:], strict=False))


def _pairs(old: Any, new: Any, path: Path) -> Iterator[tuple[Path, Any, Any]]:
    """The paths at which two documents have different values, with both."""
    if isinstance(old, list) and isinstance(new, list):
        old, new = _by_name(old, new)
    if isinstance(old, dict) and isinstance(new, dict):
        for name in old | new:
            yield from _pairs(old.get(name, ABSENT), new.get(name, ABSENT), (*path, name))
        if list(old) != list(new) and set(old) == set(new):
            yield (*path, "(order)"), list(old), list(new)
    elif type(old) is not type(new) or old != new:
        yield path, old, new


def _by_name(*lists: list[Any]) -> Iterator[dict[str, Any]]:
    """Lists as objects: the elements by their name where all have one, else by their place."""
    for field in NAMES:
        names = [[isinstance(element, dict) and element.get(field) for element in elements] for elements in lists]
        if all(all(isinstance(name, str) for name in column) and len({*column}) == len(column) for column in names):
            return (dict(zip(column, elements, strict=True)) for column, elements in zip(names, lists, strict=True))
    return ({str(place): element for place, element in enumerate(elements)} for elements in lists)


def _content(item: Item, is_api: bool) -> dict[str, Any]:
    """The status, the headers and the body of an item as one document."""
    headers = item.get("headers", {})
    body = READERS.get(headers.get("Content-Type", "").partition(";")[0], _json)(item["text"])
    if is_api:
        body = _inlined(body, body)
        body["components"].pop("schemas", None)
    return {"status": item.get("status"), "headers": dict(sorted(headers.items())), "body": body}


def _json(text: str) -> Any:
    return json.loads(text or "null", parse_float=Number, parse_int=Number)


def _events(text: str) -> list[Any]:
    """The events of a stream, without its comments."""
    events = (event.split("\n") for event in text.split("\n\n") if event.startswith("event: "))
    return [{"event": event, "data": _json(data.removeprefix("data: "))} for event, data in events]


def _metrics(text: str) -> dict[str, Any]:
    """The metrics that count something, and the help of ours."""
    lines = text.splitlines()
    counts = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#") and not RANDOM_METRIC.match(line))
    return {"counts": counts, "help": dict(line[7:].split(" ", 1) for line in lines if "HELP ninefold" in line)}


READERS: dict[str, Callable[[str], Any]] = {
    "text/csv": lambda text: list(csv.DictReader(io.StringIO(text))),
    "text/event-stream": _events,
    "text/plain": _metrics,
    "text/html": lambda text: {"tags": re.findall(r"<[^>]*>", text), "page": re.sub(r"<[^>]*>", "", text)},
}


def _inlined(node: Any, document: Any) -> Any:
    """A part of an OpenAPI document with what its references name in their place."""
    if isinstance(node, list):
        return [_inlined(element, document) for element in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = document
        for name in node["$ref"].removeprefix("#/").split("/"):
            target = target.get(name, {})
        return _inlined(target, document) or node["$ref"]
    return {name: _inlined(value, document) for name, value in node.items()}
