"""Exchanges on this machine: real HTTP servers that speak as much of two public APIs as ccxt needs for bars."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from service.config import Settings
from service.sources import sessions
from tests.sources.proxy_servers import ProxyServer, proxying
from tests.sources.servers import Server

# A pool that a lane can be in, as DefiLlama lists it.
POOL = {"pool": "c0ffee", "project": "uniswap-v3", "chain": "Arbitrum", "symbol": "WETH-USDC", "poolMeta": "0.05%"}
POOL |= {"tvlUsd": 60_000_000, "volumeUsd1d": 90_000_000, "volumeUsd7d": None}
NOTHING = {"status": "success", "data": [], "markets": []}


def self_signed(host: str, file: Path) -> Path:
    """Write a certificate of `host` with its key, signed by itself, to `file`."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM) + key.private_bytes(*plain))
    return file


@dataclass
class ExchangeServer:
    """An exchange under test.

    `bars` maps a pair ("BTC/USD") to its rows, `hours` to those of an hour; rows that open after `now` are not shown.
    `stopped` are pairs it lists and no longer trades. Where `fault` is set, every request whose path holds `fault_at`
    is answered by it. `requests` are the paths so far.
    """

    routes: Callable[[ExchangeServer, str, dict], object]
    bars: dict[str, list[tuple]] = field(default_factory=dict)
    hours: dict[str, list[tuple]] = field(default_factory=dict)
    stopped: set[str] = field(default_factory=set)
    now: int = 2**40
    fault: Callable[[Handler], None] | None = None
    fault_at: str = "/"
    requests: list[str] = field(default_factory=list)
    closing: Event = field(default_factory=Event)
    address: str = ""

    def answer(self, handler: Handler) -> None:
        parts = urlsplit(handler.path)
        self.requests.append(parts.path)
        if self.fault and self.fault_at in parts.path:
            self.fault(handler)
            return
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        handler.reply(200, json.dumps(self.routes(self, parts.path, query)).encode())


class JsonHandler(BaseHTTPRequestHandler):
    """Replies to each request in `answer`, which an exchange defines."""

    answer: Callable[[], None]

    def do_GET(self) -> None:
        self.answer()

    def reply(self, status: int, body: bytes, length: int | None = None, **headers: str) -> None:
        self.send_response(status)
        defaults = {"Content_Type": "application/json", "Content_Length": str(len(body) if length is None else length)}
        for name, value in (defaults | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments) -> None:
        pass


class Handler(JsonHandler):
    exchange: ExchangeServer

    def answer(self) -> None:
        self.exchange.answer(self)

    def send_response(self, code: int, message: str | None = None) -> None:
        """Without a clock, since its bars may be of any time."""
        self.send_response_only(code, message)


def kraken_routes(server: ExchangeServer, path: str, query: dict) -> object:
    """As Kraken answers: a window begins behind `since`, holds 720 bars at most and ends with the one in progress."""
    if path.endswith("/AssetPairs"):
        pairs = {pair.replace("/", ""): kraken_pair(pair, pair in server.stopped) for pair in server.bars}
        return {"error": [], "result": pairs}
    pair = next(pair for pair in server.bars if pair.replace("/", "") == query["pair"])
    history = server.hours if query["interval"] == "60" else server.bars
    past = [row for row in history[pair] if row[0] < server.now]
    rows = [row for row in past[-720:] if row[0] > int(query["since"])]
    bars = [[time, *map(str, prices), "0", str(volume), 1] for time, *prices, volume in rows]
    return {"error": [], "result": {query["pair"]: bars, "last": 0}}


def kraken_pair(pair: str, stopped: bool) -> dict:
    base, quote = pair.split("/")
    names = {"altname": base + quote, "wsname": pair, "base": base, "quote": quote}
    fees = {"fees": [[0, 0.26]], "fees_maker": [[0, 0.16]], "ordermin": "0.0001"}
    state = {"pair_decimals": 2, "lot_decimals": 8, "status": "cancel_only" if stopped else "online"}
    return names | fees | state


def coinbase_routes(server: ExchangeServer, path: str, query: dict) -> object:
    """As Coinbase answers: newest first, from `start` to `end`, both included."""
    if path.endswith("/candles"):
        pair = path.split("/")[-2].replace("-", "/")
        history = server.hours if query["granularity"] == "ONE_HOUR" else server.bars
        ends = min(int(query["end"]), server.now - 1)
        rows = [row for row in history[pair] if int(query["start"]) <= row[0] <= ends]
        names = ("start", "open", "high", "low", "close", "volume")
        return {"candles": [dict(zip(names, map(str, row), strict=True)) for row in reversed(rows)]}
    if query.get("product_type") == "FUTURE":
        return {"products": []}
    return {"products": [coinbase_product(pair) for pair in server.bars]}


def coinbase_product(pair: str) -> dict:
    base, quote = pair.split("/")
    names = {"product_id": f"{base}-{quote}", "base_currency_id": base, "quote_currency_id": quote}
    increments = {"base_increment": "0.00000001", "quote_increment": "0.01", "price_increment": "0.01"}
    state = {"product_type": "SPOT", "status": "online", "trading_disabled": False, "is_disabled": False}
    return names | increments | state


def serve(exchange: ExchangeServer, certificate: Path | None = None) -> Iterator[ExchangeServer]:
    """Run the exchange; with a `certificate` it speaks https."""
    with Server(Handler, certificate, exchange=exchange) as server:
        exchange.address = f"{'https' if certificate else 'http'}://127.0.0.1:{server.server_port}"
        yield exchange
        exchange.closing.set()


def ccxt_options(kraken: ExchangeServer, coinbase: ExchangeServer) -> dict[str, Any]:
    """What makes ccxt ask these servers, as fast as it can."""
    return {
        "kraken": {"urls": {"api": {"public": kraken.address}}, "enableRateLimit": False},
        "coinbase": {"urls": {"api": {"rest": coinbase.address}}, "enableRateLimit": False},
    }


@pytest.fixture
def kraken() -> Iterator[ExchangeServer]:
    """A Kraken on this machine; it lists nothing until a test says so."""
    yield from serve(ExchangeServer(kraken_routes))


@pytest.fixture
def coinbase() -> Iterator[ExchangeServer]:
    """A Coinbase on this machine; it lists nothing until a test says so."""
    yield from serve(ExchangeServer(coinbase_routes))


@pytest.fixture
def server() -> Iterator[ExchangeServer]:
    """Any other source on this machine; it answers that there is nothing until a test says otherwise."""
    yield from serve(ExchangeServer(routes=lambda *_: NOTHING))


@pytest.fixture
def http_proxy() -> Iterator[ProxyServer]:
    with proxying("http") as proxy:
        yield proxy


@pytest.fixture(params=["http", "socks5h"])
def proxy(request) -> Iterator[ProxyServer]:
    """An HTTP proxy, or a SOCKS5 proxy that resolves names itself."""
    with proxying(request.param) as proxy:
        yield proxy


@pytest.fixture
def without_proxy(monkeypatch) -> Iterator[None]:
    """No proxy is set, neither in the environment of this machine nor by an option; afterwards it is as before."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    yield
    sessions.use_proxy(Settings())


@pytest.fixture(scope="session")
def record(shared_data: Path) -> Callable[[str], Any]:
    """Reads a recorded answer by its path below the folder of recorded answers."""
    return lambda name: json.loads((shared_data / "recorded" / name).read_text())


@pytest.fixture(scope="session")
def bitcoin_row(record) -> dict[str, Any]:
    """Polymarket's "Will the price of Bitcoin be above $64,000 on March 11?", open."""
    return record("polymarket/search_response.json")["events"][0]["markets"][0]


@pytest.fixture(scope="session")
def up_row(record) -> dict[str, Any]:
    """Polymarket's "Bitcoin Up or Down - March 12, 5:20AM-5:25AM ET", open, between Up and Down."""
    return record("polymarket/gamma_market.json")


@pytest.fixture(scope="session")
def resolved_row(record) -> dict[str, Any]:
    """A market of Polymarket that was resolved to No."""
    return record("polymarket/gamma_market_closed_binary_accepting_false.json")


@pytest.fixture(scope="session")
def kalshi_row(record) -> dict[str, Any]:
    """Kalshi's "Will Bitcoin exceed $100,000 by March 15?", open."""
    return record("kalshi/markets.json")["markets"][0]
