"""What is said unasked: to whom it concerns, once, nothing of before it was wanted, and nothing that is not so."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import TypeAdapter
from telegram.error import BadRequest, Forbidden, NetworkError, RetryAfter, TimedOut

from bot.alerts import watch
from bot.alerts.digests import last_due
from bot.store import EVENTS, Store
from service.api import examples
from service.client import ConnectionFailed, NotFound

ANN, BEN, CID = 11, 22, 33
START = datetime(2026, 11, 21, 12, 10, tzinfo=UTC)
DOWN = ConnectionFailed("No connection to http://127.0.0.1:8000: refused.")
NO_CHALLENGE = NotFound(404, {"code": "not_found", "detail": "There is no challenge of that number."})


def plain(document: object) -> dict[str, Any]:
    """A document as the API answers it."""
    return TypeAdapter(type(document)).dump_python(document, mode="json")


def iso(instant: datetime) -> str:
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Crash(BaseException):
    """The process ends here."""


class Recorder:
    """Telegram's side: what was sent to which chat, and the errors that it gives instead."""

    def __init__(self) -> None:
        self.sent: list[tuple[int, str, bool]] = []
        self.errors: dict[int, list[BaseException]] = {}

    async def send_message(self, chat_id: int, text: str, *, parse_mode: str, disable_notification: bool) -> None:
        assert parse_mode == "HTML"
        assert 0 < len(text) <= 4096
        if self.errors.get(chat_id):
            raise self.errors[chat_id].pop(0)
        self.sent.append((chat_id, text, disable_notification))

    def chats(self) -> list[int]:
        return [chat for chat, _, _ in self.sent]


class House:
    """The service's side: documents of its shapes that a test changes, and what does not answer."""

    def __init__(self) -> None:
        self.documents = {
            "widget": plain(examples.WIDGET),
            "battle": plain(examples.BATTLE),
            "battle_history": plain(examples.BATTLE_HISTORY),
            "hospital": plain(examples.HOSPITAL),
            "ai_vs_market": plain(examples.AI_VS_MARKET),
            "challenges": plain(examples.CHALLENGES),
        }
        self.documents["battle_history"]["lanes"][0]["events"] = []
        self.documents["challenges"]["challenges"] = []
        self.over: dict[int, dict[str, Any] | Exception] = {}
        self.broken: dict[str, BaseException] = {}
        self.asked: list[str] = []

    def consensus(self, direction: str, voted_at: datetime) -> None:
        """The voters say this at this instant."""
        self.documents["widget"]["consensus"] |= {"direction": direction, "voted_at": iso(voted_at)}

    def did(self, kind: str, time: datetime, subject: str = "ETH/USDC 0.05% (Ethereum)") -> None:
        """The lane did this, and the battle has a bar of that instant."""
        event = plain(examples.BATTLE_HISTORY)["lanes"][0]["events"][0]
        event |= {"kind": kind, "time": iso(time), "subject": subject}
        self.documents["battle_history"]["lanes"][0]["events"].append(event)
        self.documents["battle"]["as_of"] = iso(time)

    def in_world(self, world: str) -> None:
        for document in self.documents.values():
            document["world"] = world

    async def _answer(self, name: str) -> dict[str, Any]:
        self.asked.append(name)
        if name in self.broken:
            raise self.broken[name]
        return copy.deepcopy(self.documents[name])

    async def widget(self) -> dict[str, Any]:
        return await self._answer("widget")

    async def battle(self) -> dict[str, Any]:
        return await self._answer("battle")

    async def battle_history(self, lane=None, since=None, until=None) -> dict[str, Any]:
        told = await self._answer("battle_history")
        for one in told["lanes"]:
            one["events"] = [event for event in one["events"] if event["time"] >= since]
        return told

    async def hospital(self) -> dict[str, Any]:
        return await self._answer("hospital")

    async def ai_vs_market(self) -> dict[str, Any]:
        return await self._answer("ai_vs_market")

    async def challenges(self) -> dict[str, Any]:
        return await self._answer("challenges")

    async def challenge(self, number: int) -> dict[str, Any]:
        self.asked.append(f"challenge {number}")
        found = self.over.get(number, DOWN)
        if isinstance(found, Exception):
            raise found
        return copy.deepcopy(found)


class World:
    """A bot's watcher between a service and Telegram, and the clock they share."""

    def __init__(self, file: Path) -> None:
        self.file, self.now = file, START
        self.house, self.bot = House(), Recorder()
        self.store = self.open()

    def open(self) -> Store:
        """The store of another process, or of the same after a restart."""
        return Store(self.file, lambda: self.now)

    def restart(self) -> None:
        self.store.close()
        self.store = self.open()

    def look(self, *, after: timedelta = timedelta(minutes=1)) -> list[tuple[int, str, bool]]:
        """What one pass sent, so much later."""
        self.now += after
        before = len(self.bot.sent)
        asyncio.run(watch(self.bot, self.house, self.store, self.now))
        return self.bot.sent[before:]

    def want(self, event: str, *users: int, state: str = "on") -> None:
        for user in users:
            self.store.set_switch(user, user, event, state)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path / "bot.sqlite")
    yield world
    world.store.close()


def challenge(number: int, status: str = "resolved", outcome: str | None = "yes") -> dict[str, Any]:
    """A challenge that is over, or nearly."""
    told = plain(examples.CHALLENGE) | {"number": number, "id": f"challenge-{number}", "status": status}
    if outcome:
        told["resolution"] |= {"outcome": outcome, "resolved_at": iso(START), "evidence": "The price was 53,600 USD."}
    return told


class TestMyChallenge:
    def test_its_author_is_told_when_it_resolves_and_of_what_became_of_it(self, world):
        world.store.remember_challenge(ANN, ANN, 17)
        world.house.over[17] = challenge(17)
        ((chat, text, silent),) = world.look()
        assert (chat, silent) == (ANN, False)
        assert "17" in text
        assert "YES" in text.upper()

    def test_a_void_one_is_told_as_well(self, world):
        world.store.remember_challenge(ANN, ANN, 17)
        world.house.over[17] = challenge(17, "void", "void")
        assert len(world.look()) == 1

    def test_nothing_is_told_while_it_is_open_or_closed_and_not_decided(self, world):
        world.store.remember_challenge(ANN, ANN, 17)
        world.house.documents["challenges"]["challenges"] = [challenge(17, "open", None)]
        assert world.look() == []
        assert "challenge 17" not in world.house.asked
        world.house.documents["challenges"]["challenges"] = []
        world.house.over[17] = challenge(17, "closed", None)
        assert world.look() == []
        world.house.over[17] = challenge(17)
        assert len(world.look()) == 1

    def test_it_is_told_once_also_across_a_restart(self, world):
        world.store.remember_challenge(ANN, ANN, 17)
        world.house.over[17] = challenge(17)
        assert len(world.look()) == 1
        world.restart()
        assert world.look() == []
        world.store.remember_challenge(ANN, ANN, 17)
        assert world.look() == []

    def test_a_silent_one_makes_no_sound(self, world):
        world.want("my_challenge", ANN, state="silent")
        world.store.remember_challenge(ANN, ANN, 17)
        world.house.over[17] = challenge(17)
        assert [silent for _, _, silent in world.look()] == [True]

    def test_who_switched_it_off_is_not_told_and_not_told_later_either(self, world):
        world.store.remember_challenge(ANN, ANN, 17)
        world.want("my_challenge", ANN, state="off")
        world.house.over[17] = challenge(17)
        assert world.look() == []
        world.want("my_challenge", ANN)
        assert world.look() == []

    def test_a_service_that_is_down_delays_it(self, world):
        world.store.remember_challenge(ANN, ANN, 17)
        world.house.over[17] = DOWN
        assert world.look() == []
        world.house.broken["challenges"] = DOWN
        world.house.over[17] = challenge(17)
        assert world.look() == []
        world.house.broken.clear()
        assert len(world.look()) == 1

    def test_one_that_the_service_does_not_know_keeps_no_other_from_being_told(self, world):
        world.store.remember_challenge(ANN, ANN, 1)
        world.store.remember_challenge(ANN, ANN, 2)
        world.house.over = {1: NO_CHALLENGE, 2: challenge(2)}
        assert len(world.look()) == 1
        world.look()
        assert world.house.asked.count("challenge 1") == 1

    def test_an_address_that_is_not_the_services_does_not_end_the_wait(self, world):
        world.store.remember_challenge(ANN, ANN, 17)
        world.house.over[17] = NotFound(404, {})
        assert world.look() == []
        world.house.over[17] = challenge(17)
        assert len(world.look()) == 1

    def test_of_very_many_each_is_looked_at_in_its_turn(self, world):
        for number in range(1, 51):
            world.store.remember_challenge(ANN, ANN, number)
            world.house.over[number] = challenge(number, "closed", None)
        for _ in range(3):
            world.look()
        asked = [name for name in world.house.asked if name.startswith("challenge ")]
        assert len(asked) == 60
        assert len(set(asked)) == 50


class TestFlip:
    def flip(self, world: World, direction: str) -> list[tuple[int, str, bool]]:
        world.house.consensus(direction, world.now + timedelta(seconds=30))
        return world.look()

    def test_subscribers_are_told_when_the_consensus_changes_sides(self, world):
        world.want("flip", ANN)
        world.want("flip", BEN, state="silent")
        assert self.flip(world, "BULLISH") == []
        told = self.flip(world, "BEARISH")
        assert [(chat, silent) for chat, _, silent in told] == [(ANN, False), (BEN, True)]
        assert all("BULLISH" in text and "BEARISH" in text for _, text, _ in told)

    def test_neutral_does_not_flip_twice(self, world):
        world.want("flip", ANN)
        directions = ["BULLISH", "NEUTRAL", "BULLISH", "NEUTRAL", "BEARISH", "NEUTRAL", "BEARISH", "BULLISH"]
        assert [len(self.flip(world, one)) for one in directions] == [0, 0, 0, 0, 1, 0, 0, 1]

    def test_the_first_side_that_is_seen_is_no_flip(self, world):
        world.want("flip", ANN)
        assert [len(self.flip(world, one)) for one in ("NEUTRAL", "BEARISH")] == [0, 0]

    def test_a_consensus_that_is_not_there_is_no_flip(self, world):
        world.want("flip", ANN)
        self.flip(world, "BULLISH")
        before = world.house.documents["widget"]
        world.house.documents["widget"] = before | {"consensus": None}
        assert world.look() == []
        world.house.documents["widget"] = before
        assert self.flip(world, "BULLISH") == []

    def test_a_service_that_was_down_tells_it_later(self, world):
        world.want("flip", ANN)
        self.flip(world, "BULLISH")
        world.house.broken["widget"] = DOWN
        assert self.flip(world, "BEARISH") == []
        world.house.broken.clear()
        assert len(world.look()) == 1

    def test_an_answer_from_an_older_snapshot_is_no_flip(self, world):
        world.want("flip", ANN)
        self.flip(world, "BULLISH")
        older = copy.deepcopy(world.house.documents["widget"])
        assert len(self.flip(world, "BEARISH")) == 1
        newer, world.house.documents["widget"] = world.house.documents["widget"], older
        assert world.look() == []
        world.house.documents["widget"] = newer
        assert world.look() == []

    def test_a_flip_of_before_the_subscription_is_not_told(self, world):
        self.flip(world, "BULLISH")
        world.house.consensus("BEARISH", world.now + timedelta(seconds=5))
        world.now += timedelta(seconds=20)
        world.want("flip", ANN)
        assert world.look() == []
        assert len(self.flip(world, "BULLISH")) == 1

    def test_a_flip_is_told_once_also_by_two_watchers_and_across_a_restart(self, world):
        world.want("flip", ANN, BEN, CID)
        self.flip(world, "BULLISH")
        world.house.consensus("BEARISH", world.now)
        world.now += timedelta(minutes=1)
        stores = [world.open() for _ in range(3)]

        async def together() -> None:
            await asyncio.gather(*(watch(world.bot, world.house, store, world.now) for store in stores))

        asyncio.run(together())
        for store in stores:
            store.close()
        assert sorted(world.bot.chats()) == [ANN, BEN, CID]
        world.restart()
        assert world.look() == []

    def test_a_service_of_another_world_is_no_flip(self, world):
        world.want("flip", ANN)
        self.flip(world, "BULLISH")
        world.house.in_world("live")
        assert self.flip(world, "BEARISH") == []
        assert len(self.flip(world, "BULLISH")) == 1

    def test_in_a_replay_whose_instants_are_long_past_flips_are_told(self, world):
        world.house.in_world("replay")
        past = START - timedelta(days=400)
        world.house.consensus("BULLISH", past)
        world.look()
        world.now += timedelta(seconds=20)
        world.want("flip", ANN)
        world.house.consensus("BEARISH", past + timedelta(hours=4))
        assert world.look() == []
        world.house.consensus("BULLISH", past + timedelta(hours=8))
        assert len(world.look()) == 1


class TestLane:
    @pytest.mark.parametrize("kind", ["harvest", "switch"])
    def test_subscribers_are_told_of_a_harvest_and_of_a_switch(self, world, kind):
        world.want("lane", ANN)
        world.look()
        world.house.did(kind, world.now + timedelta(seconds=30))
        ((chat, text, _),) = world.look()
        assert chat == ANN
        assert "Wide range" in text
        assert "ETH/USDC" in text
        assert world.look() == []

    def test_a_trade_is_not_told(self, world):
        world.want("lane", ANN)
        world.look()
        world.house.did("trade", world.now + timedelta(seconds=30))
        assert world.look() == []

    def test_what_was_done_before_the_first_look_is_not_told(self, world):
        world.want("lane", ANN)
        world.house.did("harvest", START - timedelta(minutes=5))
        assert world.look() == []
        assert world.look() == []

    def test_what_was_done_before_the_subscription_is_not_told(self, world):
        world.look()
        world.house.did("harvest", world.now)
        world.now += timedelta(seconds=20)
        world.want("lane", ANN)
        assert world.look() == []

    def test_several_since_the_last_look_are_told_in_order(self, world):
        world.want("lane", ANN)
        world.look()
        for minutes, kind, pool in ((5, "switch", "first pool"), (10, "harvest", "second pool")):
            world.house.did(kind, world.now + timedelta(minutes=minutes), pool)
        told = [text for _, text, _ in world.look(after=timedelta(minutes=11))]
        assert ["first pool" in text for text in told] == [True, False]
        assert "second pool" in told[1]

    def test_nothing_is_lost_and_nothing_said_twice_when_the_service_was_down(self, world):
        world.want("lane", ANN)
        world.look()
        world.house.did("harvest", world.now + timedelta(seconds=30))
        world.house.broken["battle_history"] = DOWN
        assert world.look() == []
        world.house.broken = {"battle": DOWN}
        assert world.look() == []
        world.house.broken = {}
        assert len(world.look()) == 1
        assert world.look() == []

    def test_what_was_done_more_than_a_day_ago_is_no_news(self, world):
        world.want("lane", ANN)
        world.look()
        world.house.did("harvest", world.now + timedelta(minutes=5))
        world.house.did("harvest", world.now + timedelta(days=40))
        assert len(world.look(after=timedelta(days=40, minutes=1))) == 1

    def test_the_history_is_asked_only_when_there_is_a_new_bar(self, world):
        for _ in range(3):
            world.look()
        assert "battle_history" not in world.house.asked


class TestHospital:
    def next_month(self, world: World) -> None:
        world.house.documents["hospital"] |= {"snapshot_month": "2026-11", "as_of": "2026-12-01T00:00:00Z"}

    def test_a_new_snapshot_is_told_once(self, world):
        world.want("hospital", ANN)
        assert world.look() == []
        self.next_month(world)
        ((chat, text, _),) = world.look()
        assert chat == ANN
        assert "2026-11" in text or "November" in text
        world.restart()
        assert world.look() == []

    def test_a_snapshot_of_before_the_subscription_is_not_told(self, world):
        world.look()
        self.next_month(world)
        world.now += timedelta(seconds=20)
        world.want("hospital", ANN)
        assert world.look() == []

    def test_a_service_that_shows_an_older_month_brings_nothing_back(self, world):
        world.want("hospital", ANN)
        world.look()
        older = copy.deepcopy(world.house.documents["hospital"])
        self.next_month(world)
        assert len(world.look()) == 1
        newer, world.house.documents["hospital"] = world.house.documents["hospital"], older
        assert world.look() == []
        world.house.documents["hospital"] = newer
        assert world.look() == []


class TestDigest:
    def at(self, world: World, instant: str) -> list[tuple[int, str, bool]]:
        """What one pass at this instant sends."""
        world.now = datetime.fromisoformat(instant)
        return world.look(after=timedelta())

    def test_it_comes_at_the_hour_and_in_the_timezone_of_each(self, world):
        world.store.set_digest(ANN, ANN, 7, "Europe/Zurich")
        world.store.set_digest(BEN, BEN, 7, "America/New_York")
        assert self.at(world, "2026-11-22T05:59:59+00:00") == []
        assert [chat for chat, _, _ in self.at(world, "2026-11-22T06:00:00+00:00")] == [ANN]
        assert [chat for chat, _, _ in self.at(world, "2026-11-22T12:00:00+00:00")] == [BEN]
        assert [chat for chat, _, _ in self.at(world, "2026-11-23T06:00:20+00:00")] == [ANN]

    def test_it_comes_once_a_day_also_across_a_restart(self, world):
        world.store.set_digest(ANN, ANN, 7, "UTC")
        assert len(self.at(world, "2026-11-22T07:00:10+00:00")) == 1
        world.restart()
        assert self.at(world, "2026-11-22T07:01:10+00:00") == []
        assert self.at(world, "2026-11-22T23:00:00+00:00") == []

    def test_the_documents_are_asked_for_only_when_one_is_due(self, world):
        world.store.set_digest(ANN, ANN, 7, "UTC")
        self.at(world, "2026-11-22T07:00:00+00:00")
        self.at(world, "2026-11-22T07:01:00+00:00")
        assert world.house.asked.count("ai_vs_market") == 1

    def test_an_hour_that_had_passed_when_it_was_chosen_is_for_tomorrow(self, world):
        world.now = datetime(2026, 11, 22, 7, 30, tzinfo=UTC)
        world.store.set_digest(ANN, ANN, 7, "UTC")
        assert self.at(world, "2026-11-22T07:31:00+00:00") == []
        assert len(self.at(world, "2026-11-23T07:00:00+00:00")) == 1

    def test_it_is_late_when_the_service_was_down_and_left_out_after_three_hours(self, world):
        world.store.set_digest(ANN, ANN, 7, "UTC")
        world.house.broken["battle"] = DOWN
        assert self.at(world, "2026-11-22T07:00:00+00:00") == []
        world.house.broken.clear()
        assert len(self.at(world, "2026-11-22T10:00:00+00:00")) == 1
        assert self.at(world, "2026-11-23T10:00:01+00:00") == []

    def test_switched_off_it_stays_away(self, world):
        world.store.set_digest(ANN, ANN, 7, "UTC")
        world.store.set_digest(ANN, ANN, None, "UTC")
        assert self.at(world, "2026-11-22T07:00:00+00:00") == []

    @pytest.mark.parametrize(
        ("day", "due"),
        [
            ("2026-03-28", "2026-03-28T06:00Z"),
            ("2026-03-29", "2026-03-29T05:00Z"),
            ("2026-10-24", "2026-10-24T05:00Z"),
            ("2026-10-25", "2026-10-25T06:00Z"),
        ],
    )
    def test_the_hour_is_that_of_the_clock_on_the_wall_in_summer_and_in_winter(self, day, due):
        noon = datetime.fromisoformat(f"{day}T12:00+00:00")
        assert last_due(7, "Europe/Zurich", noon) == datetime.fromisoformat(due)

    def test_on_the_night_when_the_hour_is_left_out_it_comes_an_hour_later(self, world):
        world.now = datetime(2026, 3, 28, 12, tzinfo=UTC)
        world.store.set_digest(ANN, ANN, 2, "Europe/Zurich")
        assert self.at(world, "2026-03-29T00:59:00+00:00") == []
        assert len(self.at(world, "2026-03-29T01:00:00+00:00")) == 1
        assert self.at(world, "2026-03-29T01:01:00+00:00") == []

    def test_on_the_night_when_the_hour_comes_twice_it_comes_once(self, world):
        world.now = datetime(2026, 10, 24, 12, tzinfo=UTC)
        world.store.set_digest(ANN, ANN, 2, "Europe/Zurich")
        assert len(self.at(world, "2026-10-25T00:00:00+00:00")) == 1
        assert self.at(world, "2026-10-25T01:00:00+00:00") == []
        assert len(self.at(world, "2026-10-26T01:00:00+00:00")) == 1

    @pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kathmandu", "UTC"])
    @pytest.mark.parametrize("hour", [0, 12, 23])
    def test_there_is_one_due_instant_in_every_day_of_a_zone_without_changes(self, zone, hour):
        minutes = (START + timedelta(minutes=15 * n) for n in range(96 * 3))
        due = sorted({last_due(hour, zone, minute) for minute in minutes})
        assert {later - earlier for earlier, later in pairwise(due)} == {timedelta(days=1)}
        assert all(earlier <= START + timedelta(days=3) for earlier in due)


class TestSending:
    def two_flips_wait(self, world: World) -> list[tuple[int, str, bool]]:
        """The first pass after a flip that two persons wait for."""
        world.want("flip", ANN, BEN)
        world.house.consensus("BULLISH", world.now + timedelta(seconds=5))
        world.look()
        world.house.consensus("BEARISH", world.now + timedelta(seconds=5))
        return world.look()

    @pytest.mark.parametrize(
        "error",
        [
            Forbidden("Forbidden: bot was blocked by the user"),
            Forbidden("Forbidden: user is deactivated"),
            BadRequest("Chat not found"),
        ],
    )
    def test_a_blocked_bot_or_a_deleted_chat_switches_off_what_goes_there_and_nothing_else(self, world, error):
        world.bot.errors[ANN] = [error]
        assert [chat for chat, _, _ in self.two_flips_wait(world)] == [BEN]
        assert world.store.switches(ANN)["flip"] == "off"
        assert world.store.switches(BEN)["flip"] == "on"
        assert world.look() == []

    # Of the library's own making: it warns whenever this error is made.
    @pytest.mark.filterwarnings("ignore:.*retry_after")
    @pytest.mark.parametrize(("error", "why"), [(RetryAfter, 5), (NetworkError, "Bad Gateway")])
    def test_what_telegram_refused_for_now_is_sent_at_the_next_pass_once(self, world, error, why):
        world.bot.errors[ANN] = [error(why)]
        assert self.two_flips_wait(world) == []
        assert sorted(chat for chat, _, _ in world.look()) == [ANN, BEN]
        assert world.look() == []

    @pytest.mark.parametrize(
        ("cause", "wrapped", "is_sent_again"),
        [
            (httpx.ConnectError("refused"), NetworkError, True),
            (httpx.ConnectTimeout("slow"), TimedOut, True),
            (httpx.PoolTimeout("busy"), TimedOut, True),
            (httpx.ReadError("reset"), NetworkError, False),
            (httpx.ReadTimeout("slow"), TimedOut, False),
            (None, TimedOut, False),
        ],
    )
    def test_only_what_surely_did_not_arrive_is_sent_again(self, world, cause, wrapped, is_sent_again):
        error = wrapped("it failed")
        error.__cause__ = cause
        world.bot.errors[ANN] = [error]
        self.two_flips_wait(world)
        world.look()
        assert sorted(world.bot.chats()) == ([ANN, BEN] if is_sent_again else [BEN])

    def test_a_message_that_telegram_does_not_take_keeps_no_other_from_being_sent(self, world):
        world.bot.errors[ANN] = [BadRequest("Can't parse entities")]
        assert [chat for chat, _, _ in self.two_flips_wait(world)] == [BEN]
        assert world.store.switches(ANN)["flip"] == "on"
        assert world.look() == []

    def test_a_crash_while_one_is_being_sent_sends_it_not_twice_and_loses_no_other(self, world):
        world.bot.errors[ANN] = [Crash()]
        with pytest.raises(Crash):
            self.two_flips_wait(world)
        world.restart()
        assert [chat for chat, _, _ in world.look()] == [BEN]

    def test_a_crash_before_anything_was_sent_loses_nothing(self, world):
        world.want("flip", ANN, BEN)
        world.house.consensus("BULLISH", world.now + timedelta(seconds=5))
        world.look()
        world.house.consensus("BEARISH", world.now + timedelta(seconds=5))
        world.house.broken["hospital"] = Crash()
        with pytest.raises(Crash):
            world.look()
        world.restart()
        world.house.broken.clear()
        assert [chat for chat, _, _ in world.look()] == [ANN, BEN]

    def test_a_person_who_was_forgotten_is_told_nothing(self, world):
        for event in EVENTS:
            world.want(event, ANN)
        world.store.remember_challenge(ANN, ANN, 17)
        world.look()
        world.store.forget(ANN)
        world.house.over[17] = challenge(17)
        world.house.consensus("BEARISH", world.now + timedelta(seconds=5))
        world.house.did("harvest", world.now + timedelta(seconds=5))
        assert world.look(after=timedelta(days=1)) == []


def test_a_service_that_is_down_is_no_news_at_all(world):
    for event in EVENTS:
        world.want(event, ANN)
    world.house.broken = dict.fromkeys(world.house.documents, DOWN)
    assert world.look(after=timedelta(days=1)) == []


def test_a_document_that_is_not_understood_keeps_nobody_from_the_others(world, caplog):
    world.want("flip", ANN)
    world.want("hospital", ANN)
    world.look()
    world.house.documents["widget"] = {}
    world.house.documents["hospital"]["snapshot_month"] = "2026-11"
    assert len(world.look()) == 1
    assert "a look at the service failed" in caplog.text
