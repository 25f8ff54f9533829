"""What the OpenAPI documents say in words and in code: about the API, its tags and addresses, and sample calls."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import Any

from service import __version__
from service.api.auth import KEY_HEADER
from service.market.assets import ASSETS
from service.trading.strategies import STRATEGIES

NAME = "Ninefold"
VERSION = __version__

# Kinds of questions with an example of each, in the order of the README.
QUESTION_FORMS = (
    ("a level at the deadline", "Will Bitcoin close above $70k on Friday?"),
    ("a level at any time before", "Will ETH hit 4000 by December?"),
    ("a price between two levels", "Will BTC be between 60k and 70k on Friday?"),
    ("a direction", "Will silver rise tomorrow?"),
    ("a move in percent", "Will ETH drop 10% this week?"),
    ("a move either way", "Will Bitcoin move more than 3% tomorrow?"),
    ("a range", "Will Bitcoin's range exceed 5% this week?"),
    ("which of two levels comes first", "Will Bitcoin hit 70k before 50k?"),
    ("a number of days", "Will BTC close above 60k on at least 3 days next week?"),
    ("an average price", "Will the average price of Bitcoin be above 65k this week?"),
    ("a new record", "Will Bitcoin hit a new all-time high this month?"),
    ("two assets compared", "Will ETH outperform BTC this month?"),
    ("two assets together", "Will both Bitcoin and gold rise this week?"),
    ("two instants", "Will Bitcoin be higher on December 31 than on November 30?"),
    ("a moving average", "Will Bitcoin be above its 200-day moving average at year end?"),
    ("a volatility", "Will Bitcoin's annualised volatility exceed 60% this month?"),
    ("a price, without yes or no", "What will Bitcoin cost at Christmas?"),
)
_ASSETS = ", ".join(f"`{code}` ({asset.name})" for code, asset in ASSETS.items())
_FORMS = "\n".join(f"* {kind}: *{example}*" for kind, example in QUESTION_FORMS)

DESCRIPTION = f"""\
An oracle for questions about crypto and markets, and the telemetry around it. Nothing here trades, and
nothing here is investment advice.

* Send your key in the `X-API-Key` header; `POST /api/v1/register` creates one.
* Times are UTC in ISO 8601. `_pct` is percent (3 means 3%), `_usd` money, `p_yes` a probability from 0 to 1,
  an unknown value is `null`.
* Every refusal is `application/problem+json` (RFC 9457) with a stable `code`. Only responses below 400 count
  against a quota; quotas reset at 00:00 UTC.
* Where a value has to be one of a few, upper and lower case are the same: `venue=CEX` is `venue=cex`. An unknown
  parameter or field is refused.
* Every write takes an `Idempotency-Key`: a retry under the same one is free, for 24 hours, and answered the same.
* `X-Request-ID` is returned as it was sent (at most 64 letters, digits, `.`, `_` and `-`); without one it is generated.
* Pages of any origin may call the API (CORS); responses from 1 KiB on are compressed (zstd, gzip) if you accept it.

**Assets** by their code: {_ASSETS}. Upper and lower case are the same.

**Questions** that the oracle answers, in English and mostly in nine other languages:

{_FORMS}
"""

TAGS = {
    "Oracle": "Ask a question and get nine votes, a consensus and a probability.",
    "Market": "Prices, and forecasts of where they will be.",
    "Predictions": "Prediction markets with votes that were committed in advance, and their scores.",
    "Challenges": "Questions of callers that the voters answer in public.",
    "Strategies": f"{len(STRATEGIES)} paper-trading strategies: their ranking and their monthly review.",
    "Bot Battle": "Six paper-trading lanes, on an exchange and in liquidity pools.",
    "Intelligence": "The fused forecast of bitcoin's next day, the news, and documents for other sites.",
    "Ledger": "The public record of votes and outcomes, and the proofs that nothing in it was changed.",
    "Events": "What happens, as it happens.",
    "Keys": "API keys, plans and quotas.",
    "Webhooks": "Events that are sent to your own address.",
    "Documentation": "This description in several forms.",
    "Operation": "Whether the service is up, and its metrics.",
}

# The names within addresses: what they are, and an example.
PATH_PARAMETERS = {
    "answer_id": ("the `id` of an answer", "5d8aa6aca803b77b"),
    "asset": (f"asset code: {', '.join(ASSETS)}", "btc"),
    "hash": ("the `features` of a market", "0" * 64),
    "key": ("the `key` of a strategy", "macd_slow"),
    "lane": ("the `name` of a lane", "trend"),
    "market_id": ("the `id` of a market", "weekly-btc-between-20261122"),
    "name": ("the `name` of a forecaster", "alice"),
    "number": ("the `number` of a challenge, or its `id`", "1"),
    "seq": ("the number of a row, from 1", "1"),
    "webhook_id": ("the `id` of an endpoint", "4d5a1f0c2b9e"),
}


ORIGIN = "http://127.0.0.1:8000"
KEY = "nf_live_YOUR_KEY"
STREAM = "text/event-stream"


@dataclass(frozen=True)
class SampleCall:
    """A request: `path` has its values, `body` is None without one; `media` is that of the answer, None for none."""

    method: str
    path: str
    is_keyed: bool
    body: dict[str, Any] | None
    media: str | None

    @property
    def url(self) -> str:
        return ORIGIN + self.path

    @property
    def is_json(self) -> bool:
        return self.media == "application/json"


def samples(call: SampleCall) -> list[dict[str, str]]:
    """The samples as `x-codeSamples` lists them."""
    languages = (("shell", "curl", _curl(call)), ("python", "Python", _python(call)), ("js", "JavaScript", _js(call)))
    return [{"lang": lang, "label": label, "source": source} for lang, label, source in languages]


def _curl(call: SampleCall) -> str:
    default_method = "GET" if call.body is None else "POST"  # what curl sends without -X
    command = ["curl", "-sN" if call.media == STREAM else "-s"]
    command += ["-X", call.method] if call.method != default_method else []
    parts = [" ".join((*command, shlex.quote(call.url)))]
    parts += [f'-H "{KEY_HEADER}: $KEY"'] if call.is_keyed else []
    if call.body is not None:
        text = json.dumps(call.body, ensure_ascii=False).replace("'", r"'\''")
        parts += ["-H 'Content-Type: application/json'", f"-d '{text}'"]
    return " \\\n  ".join(parts)


def _python(call: SampleCall) -> str:
    arguments = [f'"{call.url}"']
    arguments += [f'headers={{"{KEY_HEADER}": "{KEY}"}}'] if call.is_keyed else []
    arguments += [f"json={json.dumps(call.body, ensure_ascii=False)}"] if call.body is not None else []
    if call.media == STREAM:
        stream = f'httpx.stream("{call.method}", {", ".join(arguments)})'
        loop = "    for line in response.iter_lines():\n        print(line)"
        return f"import httpx\n\nwith {stream} as response:\n{loop}"
    result = "response.json()" if call.is_json else "response.text" if call.media else "response.status_code"
    request = _call(f"httpx.{call.method.lower()}", arguments)
    return f"import httpx\n\nresponse = {request}\nresponse.raise_for_status()\nprint({result})"


def _call(name: str, arguments: list[str]) -> str:
    if len(arguments) == 1:
        return f"{name}({arguments[0]})"
    lines = "".join(f"    {argument},\n" for argument in arguments)
    return f"{name}(\n{lines})"


def _js(call: SampleCall) -> str:
    headers = {KEY_HEADER: KEY} if call.is_keyed else {}
    if call.body is not None:
        headers["Content-Type"] = "application/json"
    options = [f'  method: "{call.method}",'] if call.method != "GET" else []
    options += [f"  headers: {json.dumps(headers, ensure_ascii=False)},"] if headers else []
    if call.body is not None:
        options += [f"  body: JSON.stringify({json.dumps(call.body, ensure_ascii=False)}),"]
    arguments = ", {\n" + "\n".join(options) + "\n}" if options else ""
    statement = f'const response = await fetch("{call.url}"{arguments});\n'
    statement += "if (!response.ok) throw new Error((await response.json()).detail);\n"
    if call.media == STREAM:
        return (
            statement
            + "for await (const text of response.body.pipeThrough(new TextDecoderStream())) console.log(text);"
        )
    result = "await response.json()" if call.is_json else "await response.text()" if call.media else "response.status"
    return statement + f"console.log({result});"
