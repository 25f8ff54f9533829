"""Other coins: in the live world their bars are fetched when a question names them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from threading import Lock

import structlog

from service.access.quota import window_end
from service.api.services import Services
from service.errors import Busy, ServiceUnavailable, SourceFailed
from service.forecasting.voters.context import Context, Knowledge, build_all
from service.market.assets import ASSETS, COUNT, asset_of
from service.market.bars import Bars, CoinBars
from service.market.instants import DAY, HOUR, MINUTE
from service.questions.coins import Coins
from service.questions.criterion import invalid
from service.questions.question import Question
from service.sources.feeds.feed import CAUGHT_UP_S, HISTORY_S, extend
from service.store import bars, coins, quotas
from service.store.coins import StoredCoin

log = structlog.stdlib.get_logger(__name__)

COIN_LIMIT = 2  # coins fetched for one question
FETCHES_A_MINUTE = 10
FRESH_S = 10 * MINUTE  # how old the last bar may be
REFUSED_S = HOUR  # how long a coin with too little history is refused without another fetch
LATE_S = DAY  # for which bars are fetched after the deadline of an answer
RETRY_S = 30
RECENT_S = 32 * DAY  # of the hours in which two coins are correlated

LIVE_ONLY = (
    "Other coins are answered only in the live world, where exchanges have their prices; this world is {world} and has "
    "prices of the {count} assets alone."
)
NOT_LISTED = "None of the exchanges of this service lists it."
NO_LIST = "The coins that the exchanges list have not been read yet. Try again in a few minutes."
NOTE = (
    "{coin} is outside the {count} assets. Its prices come from {source}; the answer counts in no track record and in "
    "no leaderboard."
)


class CoinDesk:
    """The other coins of one application; one is fetched at a time."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._turn = Lock()

    def listed(self) -> Coins:
        """The coins that questions may name, and why others are refused."""
        world = self._services.clock.world
        if self._services.coins is None:
            return Coins(reason=LIVE_ONLY.format(count=COUNT, world="a replay" if world == "replay" else world))
        with self._services.database.reading() as db:
            keys = coins.listed_coins(db)
        return Coins(keys, NOT_LISTED if keys else NO_LIST)

    def beside(self, latest: Knowledge, keys: tuple[str, ...], now: int) -> Knowledge:
        """The same knowledge with the contexts of the coins that a question asked at the world second `now` names.

        Raises InvalidQuestion for a coin with too little history, Busy when too many are fetched already and
        ServiceUnavailable when the exchanges fail.
        """
        stored_coins = {key: self._ready(key, now) for key in keys[:COIN_LIMIT]}
        contexts = {key: coin.context for key, coin in stored_coins.items() if coin.context}
        if len(contexts) > 1:
            others = build_all(self._hours(contexts, now, RECENT_S), now)
            contexts = {key: _beside(context, others) for key, context in contexts.items()}
        by_asset = {asset: _beside(context, contexts) for asset, context in latest.contexts.items()}
        return replace(latest, contexts={**by_asset, **contexts})

    def noted(self, question: Question) -> Question:
        """The question with a note for each of its coins that is none of the assets."""
        with self._services.database.reading() as db:
            coins_by_name = {asset_of(key).name: coins.find_coin(db, key) for key in question.coins}
        notes = (
            NOTE.format(coin=name, count=COUNT, source=coin.source) for name, coin in coins_by_name.items() if coin
        )
        return replace(question, notes=(*question.notes, *notes))

    def _ready(self, key: str, now: int) -> StoredCoin:
        coin = self._fresh(key, now)
        if coin is None:
            seconds = self._services.settings.oracle_deadline_s
            deadline = time.monotonic() + seconds
            if not self._turn.acquire(timeout=seconds):
                raise Busy("The prices of another coin are being fetched. Try again in a few seconds.")
            try:
                coin = self._fresh(key, now) or self._fetched(key, now, deadline)
            finally:
                self._turn.release()
        if coin.refusal:
            raise invalid(f"{asset_of(key).name} {coin.refusal}.", "asset")
        return coin

    def _fresh(self, key: str, now: int) -> StoredCoin | None:
        """The stored coin at its last price; None where it has to be fetched."""
        services = self._services
        with services.database.reading() as db:
            coin, last = coins.find_coin(db, key), bars.last_bar(db, key, services.step)
        if coin and coin.refusal:
            return coin if now - coin.as_of < REFUSED_S else None
        if coin is None or coin.context is None or last is None:
            return None
        as_of = last.time + services.step
        if as_of < now - FRESH_S or coin.context.as_of < as_of // HOUR * HOUR:
            return None
        return replace(coin, context=coin.context.at_price(last.close, as_of))

    def _fetched(self, key: str, now: int, deadline: float) -> StoredCoin:
        """Fetch a coin and store it; raises Busy when there were enough fetches in this minute, or no room is left."""
        services = self._services
        wall = int(services.now())
        ends = window_end(wall, MINUTE)
        with services.database.writing() as db:
            is_counted = quotas.take_hits(db, "coins", ends, FETCHES_A_MINUTE)
        if not is_counted:
            detail = f"The prices of too many coins are being fetched. Try again in {ends - wall} seconds."
            raise Busy(detail, retry_after_s=ends - wall)
        with services.database.reading() as db:
            series = coins.coin_bars(db, key, services.step, now - HISTORY_S, now - CAUGHT_UP_S, now)
        try:
            assert services.coins is not None  # no coin is listed in a world without them
            history = extend(services.coins, key, series, now, max(0.0, deadline - time.monotonic()))
        except SourceFailed as error:
            log.warning("coin_failed", coin=key, detail=error.detail)
            detail = f"The exchanges gave no prices of {asset_of(key).name} in time. Try again in {RETRY_S} seconds."
            raise ServiceUnavailable(detail, retry_after_s=RETRY_S) from None
        coin = self._described(key, history, now)
        with services.database.writing() as db:
            if not coins.make_room(db, key, now):
                count = coins.MOST_COINS
                detail = f"There are open answers about {count} other coins. Ask about one of the {COUNT} assets."
                raise Busy(detail, retry_after_s=HOUR)
            coins.save_coin(db, key, coin, now)
            coins.add_coin_bars(db, key, history)
        return coin

    def _described(self, key: str, history: CoinBars, now: int) -> StoredCoin:
        if history.refusal or not len(history.feed):
            return StoredCoin(now, history.source, None, history.refusal or "had no trade in the last hour")
        # its state among the assets at its last complete hour, at its last price
        hours, last = history.hours, float(history.feed.close[-1])
        context = build_all({**self._hours(ASSETS, hours.as_of, HISTORY_S), key: hours}, hours.as_of)[key]
        return StoredCoin(now, history.source, context.at_price(last, history.feed.as_of))

    def _hours(self, assets: Iterable[str], until: int, length: int) -> dict[str, Bars]:
        with self._services.database.reading() as db:
            return {asset: bars.load_bars(db, asset, until - length, until, HOUR) for asset in assets}


def _beside(context: Context, others: Mapping[str, Context]) -> Context:
    """The context with the correlations that the other ones have with it."""
    new = {key: other.correlations.get(context.asset) for key, other in others.items() if key != context.asset}
    return replace(context, correlations={**context.correlations, **new})
