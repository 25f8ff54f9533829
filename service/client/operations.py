"""The operations of the API, each as a method, whatever sends the requests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from types import FunctionType
from typing import Any, Literal, TypedDict, Unpack

from service.client import exchange
from service.client.errors import ProofFailed
from service.client.exchange import Document, Exchange, File, Items, Lines, Nothing, Text

# What the pages of an operation hold, and how many at most.
PAGES = {
    "answers": ("answers", 200),
    "apex_calls": ("calls", 200),
    "candles": ("bars", 10_000),
    "features": ("rows", 200),
    "headlines": ("headlines", 200),
    "lane_equity": ("points", 10_000),
    "lane_events": ("events", 200),
    "markets": ("markets", 200),
    "predictions": ("markets", 200),
}
FORMS = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}


class HistoryWindow(TypedDict, total=False):
    """A page of a history: between two dates or instants in ISO 8601, at most `limit` rows from a `cursor` on."""

    since: str | None
    until: str | None
    limit: int | None
    cursor: str | None


class MarketsPage(TypedDict, total=False):
    """Which page of markets: `sort` is deadline, created or divergence."""

    asset: str | None
    category: str | None
    comparator: str | None
    sort: str | None
    limit: int | None
    cursor: str | None


def _document(path: str, description: str) -> Callable[[Exchange[Document, Any, Any, Any, Any, Any]], Document]:
    """A method that reads the JSON object at an address; it gets its name below its class."""

    def read(self: Exchange[Document, Any, Any, Any, Any, Any]) -> Document:
        return self._get(path)

    read.__doc__ = description
    return read


class Operations(Exchange[Document, Text, File, Nothing, Items, Lines]):
    """One method per endpoint, for the client that waits and for the asynchronous one alike."""

    prices = _document("/api/v1/prices", "The price of every asset and its time.")
    forecast_record = _document(
        "/api/v1/forecasts/record",
        "Scores of the price forecasts against plain volatility and their calibration, by horizon and asset.",
    )
    strategies = _document(
        "/api/v1/strategies", "Every strategy with its rule and source, without results; free of charge."
    )
    battle = _document("/api/v1/bot-battle", "The state of the six lanes.")
    forecasters = _document("/api/v1/forecasters", "Callers with a name beside the voters, their pool and the market.")
    challenges = _document("/api/challenges/active", "The challenges that are still open, the newest first.")
    streaks = _document("/api/streaks", "The streaks of correct votes of each voter, and what luck alone would give.")
    shadow = _document(
        "/api/predictions/shadow", "The virtual result of betting 100 USD on every disagreement with the market."
    )
    ai_vs_market = _document(
        "/api/predictions/ai-vs-market",
        "The voters' accuracy against the outside market, on the same markets at the same instant.",
    )
    news = _document("/api/predictions/news-pulse", "The sentiment and topics of the headlines, and the headlines.")
    apex = _document("/api/apex/status", "The fused forecast of bitcoin's next day, and its eight layers.")
    fund = _document("/api/apex/fund", "The virtual fund of 1,000 USD that follows apex.")
    widget = _document("/api/widget/consensus", "Bitcoin's price, consensus, news sentiment and accuracy.")
    ledger_head = _document("/api/v1/ledger/head", "The last row, how much is sealed and what that proves.")
    index = _document("/api/v1", "The addresses to begin with.")
    ledger_vectors = _document("/api/v1/ledger/vectors", "The protocol of the ledger with test vectors.")
    ledger_witness = _document("/api/v1/ledger/witness", "The ledgers of others, and their faults.")
    webhooks = _document("/api/v1/webhooks", "The webhook endpoints of this client's key.")
    plans = _document("/api/v1/plans", "The plans of API keys and what each one holds.")
    usage = _document("/api/v1/me", "The plan of this client's key and its remaining quota of today.")
    docs = _document("/api/v1/docs", "The documentation of version 1.0.")
    openapi = _document("/api/openapi.json", "The OpenAPI 3.1 description.")
    openapi_lite = _document("/api/openapi-lite.json", "The OpenAPI description without the schemas of answers.")
    alive = _document("/healthz", "Whether the process answers.")
    ready = _document("/readyz", "Whether it can answer questions; raises Unavailable that says what is missing.")

    def pages(self, operation: str, *words: str, **selection: str | None) -> Items:
        """Every item of an operation that answers in pages, read page by page: `pages("candles", "btc", "1h")`.

        The operations are those of PAGES. Each page of `predictions` counts against the quota.
        """
        name, row_limit = PAGES[operation]
        page_of = getattr(self, operation)
        pages = self._documents(lambda cursor: page_of(*words, limit=row_limit, cursor=cursor, **selection), None)
        return self._items(item async for page in pages for item in page[name])

    def table(
        self, operation: str, *words: str, form: Literal["csv", "parquet"] = "csv", **selection: str | int | None
    ) -> File:
        """The bytes of a CSV or Parquet file of what an operation answers: `table("candles", "btc", limit=10_000)`.

        Bars, markets with the shadow bets, the leaderboard and the equity of `fund` are tables.
        """

        def file(method: str, path: str, **options: Any) -> File:
            return self._file(method, path, **options, headers={"Accept": FORMS[form]})

        client = copy(self)
        vars(client)["_json"] = file  # the same request, whose answer is read as a file
        return getattr(client, operation)(*words, **selection)

    def ask(
        self,
        question: str | Mapping[str, Any],
        *,
        context: str | Mapping[str, Any] | None = None,
        strict: bool = False,
        idempotency_key: str | None = None,
    ) -> Document:
        """Nine votes and a consensus on a text, or on the `understood` of an earlier answer.

        A text such as "and eth?" carries on the question in `context`, the id or the `understood` of an earlier
        answer. If `strict`, a reading that rests on an assumption is refused. With an `idempotency_key` of your own a
        retry is free for 24 hours.
        """
        body = exchange.question_body(question, context, strict=strict)
        return self._json("POST", "/api/v1/oracle", json=body, headers=exchange.once(idempotency_key))

    def understand(
        self, question: str, *, context: str | Mapping[str, Any] | None = None, strict: bool = False
    ) -> Document:
        """What a text wants and means, with other readings where it leaves a choice; free of charge."""
        body = exchange.question_body(question, context, strict=strict)
        return self._json("POST", "/api/v1/oracle/understand", json=body)

    def answers(self, *, limit: int | None = None, cursor: str | None = None, votes: str | None = None) -> Document:
        """A page of this key's answers, newest first, with outcome and score; `next` is the `cursor` of the next."""
        return self._get("/api/v1/answers", limit=limit, cursor=cursor, votes=votes)

    def answer(self, answer_id: str) -> Document:
        """One answer of this key as it was given, with outcome and score once the question is resolved."""
        return self._get("/api/v1/answers", answer_id)

    def candles(self, asset: str, interval: str | None = None, **window: Unpack[HistoryWindow]) -> Document:
        """A page of the bars of an asset, oldest first; `interval` is 5m, 1h or 1d, `next` the `cursor` of the next.

        `since` and `until` are dates or instants in ISO 8601, `limit` is at most 10,000.
        """
        return self._get("/api/v1/candles", asset=asset, interval=interval, **window)

    def features(self, asset: str | None = None, **window: Unpack[HistoryWindow]) -> Document:
        """A page of the inputs of the voters at each committed vote, oldest first; `next` is the `cursor` of the next.

        The `features` of a market is the `hash` of its row; markets that were voted on from the same inputs share it.
        """
        return self._get("/api/v1/features", asset=asset, **window)

    def features_entry(self, hash: str) -> Document:
        """The inputs of the votes on a market, by the hash that is its `features`."""
        return self._get("/api/v1/features", hash)

    def forecast(
        self,
        asset: str,
        horizon: str | None = None,
        *,
        levels: Iterable[float] = (),
        at: str | None = None,
        as_of: str | None = None,
    ) -> Document:
        """Where the price of an asset will be: quantiles, pooled and of each voter, after 1 hour to 30 days.

        `horizon` is one of 1h, 6h, 24h, 3d, 7d, 14d and 30d; without it all of them. `at` is one instant or date alone;
        with up to 200 `levels` in USD the answer is the probability that the price is above each of them then. `as_of`
        gives the forecasts recorded in that hour.
        """
        texts = ",".join(map(str, levels)) or None
        return self._get("/api/v1/forecasts", asset, horizon=horizon, levels=texts, at=at, as_of=as_of)

    def leaderboard(self, asset: str | None = None) -> Document:
        """The strategies by rank, over all their assets or in one of them."""
        return self._get("/api/v1/leaderboard", asset=asset)

    def strategy(self, key: str) -> Document:
        """One strategy in full: its rule, its equity curve, its last trades."""
        return self._get("/api/v1/strategies", key)

    def battle_csv(self, venue: str = "all") -> Text:
        """The same as the text of a CSV file: all lanes, or those of one venue, cex or dex."""
        return self._text("/api/v1/bot-battle/export.csv", venue=venue)

    def battle_history(self, lane: str | None = None, since: str | None = None, until: str | None = None) -> Document:
        """The equity and events of one lane or all, between two dates or instants in ISO 8601."""
        return self._get("/api/v1/bot-battle/history", lane=lane, since=since, until=until)

    def lane_events(self, lane: str, **window: Unpack[HistoryWindow]) -> Document:
        """A page of the trades, harvests and switches of a lane, newest first; `next` is the `cursor` of the next."""
        return self._get("/api/v1/bot-battle", lane, "events", **window)

    def lane_equity(self, lane: str, **window: Unpack[HistoryWindow]) -> Document:
        """A page of the equity of a lane at every bar, oldest first; `next` is the `cursor` of the next page."""
        return self._get("/api/v1/bot-battle", lane, "equity", **window)

    def hospital(self, month: str | None = None) -> Document:
        """The health of every strategy at the end of a month, `YYYY-MM`, or of the last one."""
        return self._get("/api/v1/strategy-hospital", month=month)

    def predictions(self, status: str | None = None, **selection: Unpack[MarketsPage]) -> Document:
        """A page of prediction markets with their votes, by default the open ones; `next` is the next `cursor`."""
        return self._get("/api/v1/predictions", status=status, **selection)

    def markets(self, status: str | None = None, **selection: Unpack[MarketsPage]) -> Document:
        """The same list without votes and free of charge; of challenges with the `category` challenge."""
        return self._get("/api/v1/markets", status=status, **selection)

    def prediction(self, market_id: str) -> Document:
        """One market or challenge whole: votes, hourly opinions, bars that settled it, ledger rows and your vote."""
        return self._get("/api/v1/predictions", market_id)

    def vote(self, market_id: str, vote: str) -> Document:
        """Vote "yes" or "no" on a prediction market or a challenge; a later vote replaces an earlier one."""
        return self._json("POST", exchange.path_of("/api/v1/predictions", market_id, "vote"), json={"vote": vote})

    def forecast_paths(self, asset: str, at: str | None = None, count: int | None = None) -> Text:
        """`count` sample paths of the price until `at` as the text of a CSV file; 100 for 24 hours without them."""
        return self._text(exchange.path_of("/api/v1/forecasts", asset, "paths"), at=at, count=count)

    def forecast_markets(
        self, forecasts: Iterable[Mapping[str, Any]], *, idempotency_key: str | None = None
    ) -> Document:
        """Forecast up to 200 markets at once, each by its `market_id` with `p_yes`; see `results` for each."""
        body = {"forecasts": list(forecasts)}
        return self._json("POST", "/api/v1/forecasts", json=body, headers=exchange.once(idempotency_key))

    def forecast_market(self, market_id: str, p_yes: float) -> Document:
        """Give P(YES) of a market or a challenge, 0.001 to 0.999; the last one before the close stands.

        Others see it once the market is settled; until then the ledger holds its salted hash.
        """
        return self._json("POST", exchange.path_of("/api/v1/predictions", market_id, "forecast"), json={"p_yes": p_yes})

    def forecaster(self, name: str) -> Document:
        """The scores of one forecaster and the last forecasts of settled markets."""
        return self._get("/api/v1/forecasters", name)

    def create_challenge(self, question: str, deadline: str, *, idempotency_key: str | None = None) -> Document:
        """A challenge to ten voters and apex; `deadline` is a date, `YYYY-MM-DD`, in UTC."""
        body = {"question": question, "deadline": deadline}
        return self._json("POST", "/api/challenges/create", json=body, headers=exchange.once(idempotency_key))

    def headlines(self, **window: Unpack[HistoryWindow]) -> Document:
        """A page of the headlines with their tone, newest first; `next` is the `cursor` of the next page."""
        return self._get("/api/v1/headlines", **window)

    def apex_calls(self, **window: Unpack[HistoryWindow]) -> Document:
        """A page of the forecasts of apex with their outcomes, newest first; `next` is the `cursor` of the next."""
        return self._get("/api/apex/calls", **window)

    def ledger(
        self,
        first_seq: int | None = None,
        limit: int | None = None,
        kind: str | None = None,
        subject: str | None = None,
    ) -> Document:
        """At most `limit` rows of the ledger from row `first_seq` on: all, or those of a kind, about a subject."""
        return self._get("/api/v1/ledger", first_seq=first_seq, limit=limit, kind=kind, subject=subject)

    def ledger_entry(self, seq: int) -> Document:
        """One row of the ledger."""
        return self._get("/api/v1/ledger", str(seq))

    def ledger_proof(self, seq: int) -> Document:
        """The service's proof that a row lies under a signed root; `verify_proof` checks it."""
        return self._get("/api/v1/ledger/proof", str(seq))

    def ledger_roots(self, since: str | None = None) -> Document:
        """The signed root of every day, or from the day `since`, `YYYY-MM-DD`, on."""
        return self._get("/api/v1/ledger/roots", since=since)

    def verify_proof(self, seq: int, key: str | None = None) -> Document:
        """The proof of a row, after checking here its hash, its path and the signature; raises ProofFailed.

        `key` is the public key in hex as you know it from elsewhere; without it the one in the answer is used
        without verification.
        """
        return self._json("GET", f"/api/v1/ledger/proof/{seq}", read=lambda proof: _verified(proof, seq, key))

    def webhook(self, webhook_id: str) -> Document:
        """One webhook endpoint."""
        return self._get("/api/v1/webhooks", webhook_id)

    def create_webhook(self, url: str, events: Iterable[str] = (), assets: Iterable[str] = ()) -> Document:
        """A new endpoint with its secret, which is shown this once; without `events` and `assets` it gets all."""
        body = {"url": url, "events": list(events), "assets": list(assets)}
        return self._json("POST", "/api/v1/webhooks", json=body)

    def change_webhook(
        self,
        webhook_id: str,
        *,
        url: str | None = None,
        events: Iterable[str] | None = None,
        assets: Iterable[str] | None = None,
        status: str | None = None,
    ) -> Document:
        """An endpoint with another URL, other events or assets (empty: all), `paused` or `active`."""
        lists = {"events": events, "assets": assets}
        changes = {name: list(value) for name, value in lists.items() if value is not None}
        body = changes | exchange.present(url=url, status=status)
        return self._json("PATCH", exchange.path_of("/api/v1/webhooks", webhook_id), json=body)

    def delete_webhook(self, webhook_id: str) -> Nothing:
        """Delete an endpoint and the record of its deliveries."""
        return self._nothing(exchange.path_of("/api/v1/webhooks", webhook_id))

    def rotate_webhook(self, webhook_id: str) -> Document:
        """An endpoint with a new secret; the old one signs too for 24 hours."""
        return self._json("POST", exchange.path_of("/api/v1/webhooks", webhook_id, "rotate"))

    def test_webhook(self, webhook_id: str) -> Document:
        """Send a test message now, and what the endpoint answered."""
        return self._json("POST", exchange.path_of("/api/v1/webhooks", webhook_id, "test"))

    def webhook_deliveries(self, webhook_id: str, limit: int | None = None, cursor: int | None = None) -> Document:
        """The messages to an endpoint, newest first; `cursor` is the `next` of the page before."""
        return self._get("/api/v1/webhooks", webhook_id, "deliveries", limit=limit, cursor=cursor)

    def register(self, email: str, app_name: str | None = None) -> Document:
        """A new key, shown this once."""
        return self._json("POST", "/api/v1/register", json={"email": email, "app_name": app_name})

    def name_forecaster(self, name: str | None) -> Document:
        """List this client's forecasts under a public name; None: no longer."""
        return self._json("PATCH", "/api/v1/me", json={"forecaster": name})

    def rotate(self) -> Document:
        """A new key in place of this client's, which uses it from now on."""
        return self._json("POST", "/api/v1/me/rotate", read=self._use_key)

    def revoke(self) -> Nothing:
        """Revoke this client's key permanently."""
        return self._nothing("/api/v1/me")

    def metrics(self) -> Text:
        """The metrics for Prometheus."""
        return self._text("/metrics")


for _name, _method in vars(Operations).items():
    if isinstance(_method, FunctionType):
        _method.__name__, _method.__qualname__ = _name, f"{Operations.__qualname__}.{_name}"


def _verified(proof: dict[str, Any], seq: int, key: str | None) -> dict[str, Any]:
    """The proof of a row if it holds; raises ProofFailed."""
    from service.ledger import proofs

    try:
        fault = proofs.fault(proofs.read(proof), seq, key)
    except ValueError as error:
        raise ProofFailed(f"The answer is {error}.") from None
    if fault:
        raise ProofFailed(fault)
    return proof
