"""What the bot keeps of its own: found again by whom it belongs to, bounded, and gone when a person asks for that."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.store import EVENTS, Alert, Authored, Draft, Store
from bot.store.schema import VERSIONS

ANN, BEN = 11, 22
GROUP = -100
QUESTION = "Will Bitcoin be above 60,000 USD?"


class Clock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 8, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def move(self, **time: float) -> None:
        self.now += timedelta(**time)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "var" / "bot.sqlite"


@pytest.fixture
def store(file: Path, clock: Clock) -> Iterator[Store]:
    store = Store(file, clock)
    yield store
    store.close()


@pytest.fixture
def again(file: Path, clock: Clock) -> Iterator[Store]:
    """The same file, opened by another process or after a restart."""
    store = Store(file, clock)
    yield store
    store.close()


def alert(user: int = ANN, event: str = "flip", key: str = "noon", until: float = 2e9) -> Alert:
    return Alert(user, event, key, user, silent=False, text="It flipped.", until=until)


class TestFile:
    def test_only_its_owner_reads_it_and_what_lies_beside_it(self, store, file):
        store.save_draft(ANN, QUESTION)
        files = list(file.parent.iterdir())
        assert len(files) == 3
        assert {stat.S_IMODE(one.stat().st_mode) for one in files} == {0o600}

    def test_a_file_that_others_could_read_is_closed_to_them(self, file, clock):
        file.parent.mkdir()
        file.touch(mode=0o644)
        Store(file, clock).close()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600

    def test_its_schema_has_a_version(self, store, file):
        with sqlite3.connect(file) as db:
            assert db.execute("PRAGMA user_version").fetchone() == (len(VERSIONS),)
            assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)

    def test_a_file_of_a_newer_version_is_refused_and_left_as_it_is(self, file, clock):
        Store(file, clock).close()
        with sqlite3.connect(file) as db:
            db.execute("PRAGMA user_version = 99")
        with pytest.raises(RuntimeError, match="newer version"):
            Store(file, clock)
        with sqlite3.connect(file) as db:
            assert db.execute("PRAGMA user_version").fetchone() == (99,)

    def test_a_transaction_that_fails_leaves_nothing_behind(self, store):
        broken = alert(key="two")._replace(text=None)
        with pytest.raises(sqlite3.IntegrityError):
            store.note("flip", {"side": "BULLISH"}, [alert(key="one"), broken])
        assert store.state("flip") is None
        assert store.waiting() == []
        assert store.mark_sent(ANN, "flip", "one")

    def test_threads_and_processes_may_write_at_once(self, store, again):
        with ThreadPoolExecutor(8) as pool:
            ids = list(pool.map(lambda n: (store, again)[n % 2].save_draft(n, QUESTION), range(80)))
        assert len(set(ids)) == 80
        assert all(store.draft(n, id) for n, id in enumerate(ids))


class TestAnswers:
    def test_a_token_gives_back_what_was_kept(self, store, again):
        token = store.keep(ANN, "votes", {"question": QUESTION, "page": 2})
        assert store.find(ANN, token) == again.find(ANN, token) == {"question": QUESTION, "page": 2}

    def test_a_token_is_short_and_fits_into_a_button(self, store):
        tokens = {store.keep(ANN, "votes", {"page": n}) for n in range(50)}
        assert len(tokens) == 50
        assert all(len(token) <= 12 and token.replace("-", "").replace("_", "").isalnum() for token in tokens)

    def test_the_token_of_another_chat_is_never_found(self, store):
        assert store.find(BEN, store.keep(ANN, "votes", {})) is None
        assert store.find(ANN, "nothing") is None

    def test_an_answer_is_kept_for_seven_days(self, store, clock):
        token = store.keep(ANN, "votes", {})
        clock.move(days=7)
        assert store.find(ANN, token) == {}
        clock.move(seconds=1)
        assert store.find(ANN, token) is None

    def test_the_newest_two_hundred_of_a_chat_are_kept(self, store):
        others = store.keep(BEN, "votes", {})
        tokens = [store.keep(ANN, "votes", {"n": n}) for n in range(205)]
        assert [store.find(ANN, token) is None for token in tokens] == [True] * 5 + [False] * 200
        assert store.find(BEN, others) == {}

    def test_the_same_kept_again_has_the_same_token_for_another_seven_days(self, store, clock):
        token = store.keep(ANN, "lanes", {"venue": "cex"})
        clock.move(days=5)
        assert store.keep(ANN, "lanes", {"venue": "cex"}) == token
        assert store.keep(ANN, "lane", {"venue": "cex"}) != token
        clock.move(days=5)
        assert store.find(ANN, token) == {"venue": "cex"}

    def test_in_a_group_everybody_finds_it_and_it_goes_with_the_person_whose_it_was(self, store):
        of_ann = store.keep(GROUP, "votes", {"question": QUESTION}, user_id=ANN)
        of_ben = store.keep(GROUP, "votes", {"question": QUESTION}, user_id=BEN)
        assert store.find(GROUP, of_ann) == {"question": QUESTION}
        assert store.forget(ANN)["answers"] == 1
        assert store.find(GROUP, of_ann) is None
        assert store.find(GROUP, of_ben) == {"question": QUESTION}


class TestDrafts:
    def test_a_draft_is_a_question_and_then_a_date(self, store, again):
        id = store.save_draft(ANN, QUESTION)
        assert store.draft(ANN, id) == Draft(QUESTION, None)
        assert store.set_deadline(ANN, id, "2026-12-31")
        assert again.draft(ANN, id) == Draft(QUESTION, "2026-12-31")

    def test_the_draft_of_another_person_is_not_there(self, store):
        id = store.save_draft(ANN, QUESTION)
        assert store.draft(BEN, id) is None
        assert not store.set_deadline(BEN, id, "2026-12-31")
        assert store.begin_creating(BEN, id) is None
        assert not store.drop_draft(BEN, id)
        assert store.draft(ANN, id) == Draft(QUESTION, None)

    def test_an_old_button_never_finds_a_new_draft(self, store):
        old = store.save_draft(ANN, QUESTION)
        assert store.drop_draft(ANN, old)
        new = store.save_draft(ANN, "Will gold rise?")
        assert store.draft(ANN, old) is None
        assert new != old

    def test_all_drafts_of_a_person_can_be_dropped(self, store):
        ids = [store.save_draft(ANN, QUESTION) for _ in range(3)]
        others = store.save_draft(BEN, QUESTION)
        assert store.drop_drafts(ANN) == 3
        assert [store.draft(ANN, id) for id in ids] == [None] * 3
        assert store.draft(BEN, others)

    def test_the_newest_draft_is_the_one_that_was_begun_last_and_not_created(self, store):
        assert store.newest_draft(ANN) is None
        first, second = (store.save_draft(ANN, QUESTION) for _ in range(2))
        store.save_draft(BEN, QUESTION)
        assert store.newest_draft(ANN) == second
        store.begin_creating(ANN, second)
        assert store.newest_draft(ANN) == first

    def test_a_draft_is_kept_for_seven_days(self, store, clock):
        id = store.save_draft(ANN, QUESTION)
        clock.move(days=7, seconds=1)
        assert store.draft(ANN, id) is None
        assert store.newest_draft(ANN) is None
        assert not store.set_deadline(ANN, id, "2026-12-31")

    def test_the_newest_twenty_of_a_person_are_kept(self, store):
        ids = [store.save_draft(ANN, QUESTION) for _ in range(22)]
        assert [store.draft(ANN, id) is None for id in ids] == [True] * 2 + [False] * 20

    def test_creating_twice_has_one_key_also_after_a_restart(self, store, again):
        id = store.save_draft(ANN, QUESTION)
        key = store.begin_creating(ANN, id)
        assert len(key) >= 20
        assert store.begin_creating(ANN, id) == again.begin_creating(ANN, id) == key
        assert store.begin_creating(ANN, store.save_draft(ANN, QUESTION)) != key

    def test_a_draft_is_gone_before_the_service_forgets_its_key(self, store, clock):
        id = store.save_draft(ANN, QUESTION)
        store.begin_creating(ANN, id)
        clock.move(hours=23)
        assert store.begin_creating(ANN, id)
        clock.move(seconds=1)
        assert store.begin_creating(ANN, id) is None
        assert store.draft(ANN, id) is None

    def test_no_key_is_given_for_a_draft_that_was_dropped(self, store):
        id = store.save_draft(ANN, QUESTION)
        store.drop_draft(ANN, id)
        assert store.begin_creating(ANN, id) is None


class TestChallenges:
    def test_a_challenge_waits_until_its_author_was_told(self, store, again):
        store.remember_challenge(ANN, ANN, 17)
        store.remember_challenge(BEN, BEN, 18)
        assert again.open_challenges() == [Authored(ANN, ANN, 17), Authored(BEN, BEN, 18)]
        store.mark_told(17)
        assert again.open_challenges() == [Authored(BEN, BEN, 18)]

    def test_its_author_is_its_author_for_good(self, store):
        store.remember_challenge(ANN, ANN, 17)
        store.mark_told(17)
        assert store.is_author(ANN, 17)
        assert not store.is_author(BEN, 17)
        assert not store.is_author(ANN, 18)

    def test_remembering_it_again_changes_nothing(self, store):
        store.remember_challenge(ANN, ANN, 17)
        store.remember_challenge(ANN, ANN, 17)
        store.mark_told(17)
        store.remember_challenge(ANN, ANN, 17)
        assert store.open_challenges() == []

    def test_a_number_that_a_new_service_gives_again_belongs_to_its_new_author(self, store):
        store.remember_challenge(ANN, ANN, 1)
        store.mark_told(1)
        store.remember_challenge(BEN, BEN, 1)
        assert store.open_challenges() == [Authored(BEN, BEN, 1)]

    def test_what_was_looked_at_longest_ago_comes_first(self, store, clock):
        for number in (1, 2, 3):
            store.remember_challenge(ANN, ANN, number)
        clock.move(minutes=1)
        store.mark_looked_at(1)
        assert [one.number for one in store.open_challenges()] == [2, 3, 1]


class TestSwitches:
    def test_a_person_hears_of_his_own_challenges_and_of_nothing_else_before_he_asks(self, store):
        assert store.switches(ANN) == {
            "my_challenge": "on",
            "flip": "off",
            "lane": "off",
            "hospital": "off",
            "digest": "off",
        }

    @pytest.mark.parametrize("event", EVENTS)
    @pytest.mark.parametrize("state", ["on", "silent", "off"])
    def test_every_event_can_be_switched_and_stays_so(self, store, again, event, state):
        store.set_switch(ANN, ANN, event, state)
        assert again.switches(ANN) == again.switches(BEN) | {event: state}

    @pytest.mark.parametrize(("event", "state"), [("flop", "on"), ("flip", "loud"), ("", "")])
    def test_there_are_no_other_switches(self, store, event, state):
        with pytest.raises(ValueError, match="no such switch"):
            store.set_switch(ANN, ANN, event, state)

    def test_subscribers_are_those_who_switched_it_on_with_or_without_a_sound(self, store, clock):
        store.set_switch(ANN, ANN, "flip", "on")
        store.set_switch(BEN, GROUP, "flip", "silent")
        store.set_switch(33, 33, "flip", "off")
        since = clock.now.timestamp()
        assert store.subscribers("flip") == [
            (ANN, ANN, False, since, None, None),
            (BEN, GROUP, True, since, None, None),
        ]
        assert store.subscribers("lane") == []

    def test_a_subscription_begins_when_it_is_switched_on_and_not_when_its_sound_is(self, store, clock):
        store.set_switch(ANN, ANN, "flip", "on")
        first = clock.now.timestamp()
        clock.move(hours=1)
        store.set_switch(ANN, ANN, "flip", "silent")
        assert store.subscribers("flip")[0].since == first
        store.set_switch(ANN, ANN, "flip", "off")
        clock.move(hours=1)
        store.set_switch(ANN, ANN, "flip", "on")
        assert store.subscribers("flip")[0].since == clock.now.timestamp()

    def test_what_waits_of_an_event_that_is_switched_off_is_not_sent(self, store):
        store.queue([alert(), alert(event="lane"), alert(BEN)])
        store.set_switch(ANN, ANN, "flip", "off")
        assert store.waiting() == [alert(event="lane"), alert(BEN)]

    def test_a_chat_that_cannot_be_reached_gets_nothing_any_more(self, store):
        for event in EVENTS:
            store.set_switch(ANN, ANN, event, "on")
        store.set_switch(BEN, BEN, "flip", "on")
        store.queue([alert(), alert(BEN)])
        store.switch_off(ANN)
        assert set(store.switches(ANN).values()) == {"off"}
        assert store.switches(BEN)["flip"] == "on"
        assert store.waiting() == [alert(BEN)]

    def test_the_author_of_a_challenge_in_such_a_chat_is_not_told_until_he_is_back(self, store):
        store.remember_challenge(ANN, ANN, 17)
        store.switch_off(ANN)
        assert store.switches(ANN)["my_challenge"] == "off"
        store.remember_challenge(ANN, ANN, 18)
        assert store.switches(ANN)["my_challenge"] == "on"

    def test_who_switched_it_off_himself_is_not_switched_on_by_a_new_challenge(self, store):
        store.set_switch(ANN, ANN, "my_challenge", "off")
        store.switch_off(ANN)
        store.remember_challenge(ANN, ANN, 18)
        assert store.switches(ANN)["my_challenge"] == "off"


class TestDigest:
    def test_there_is_none_before_it_is_wanted(self, store):
        assert store.digest(ANN) is None

    def test_it_has_an_hour_and_a_timezone_of_ones_own(self, store, again):
        store.set_digest(ANN, ANN, 7, "Europe/Zurich")
        assert again.digest(ANN) == {"hour": 7, "timezone": "Europe/Zurich"}
        assert again.switches(ANN)["digest"] == "on"
        (only,) = again.subscribers("digest")
        assert (only.hour, only.timezone) == (7, "Europe/Zurich")

    def test_switched_on_without_an_hour_it_comes_at_eight_utc(self, store):
        store.set_switch(ANN, ANN, "digest", "on")
        assert store.digest(ANN) == {"hour": 8, "timezone": "UTC"}

    def test_switched_off_and_on_it_keeps_its_hour(self, store):
        store.set_digest(ANN, ANN, 0, "Asia/Tokyo")
        store.set_digest(ANN, ANN, None, "Asia/Tokyo")
        assert store.switches(ANN)["digest"] == "off"
        store.set_switch(ANN, ANN, "digest", "on")
        assert store.digest(ANN) == {"hour": 0, "timezone": "Asia/Tokyo"}

    def test_a_silent_one_stays_silent_when_its_hour_changes(self, store):
        store.set_switch(ANN, ANN, "digest", "silent")
        store.set_digest(ANN, ANN, 6, "UTC")
        assert store.switches(ANN)["digest"] == "silent"

    @pytest.mark.parametrize(
        ("hour", "timezone"),
        [(24, "UTC"), (-1, "UTC"), (7, "Mars/Base"), (7, ""), (7, "../etc/passwd"), (7, "Europe")],
    )
    def test_an_hour_or_a_timezone_that_there_is_not_is_refused(self, store, hour, timezone):
        with pytest.raises(ValueError, match="no such hour"):
            store.set_digest(ANN, ANN, hour, timezone)
        assert store.digest(ANN) is None


class TestAlerts:
    def test_a_thing_is_marked_once_for_each_person_also_across_a_restart(self, store, again):
        assert store.mark_sent(ANN, "flip", "noon")
        assert not store.mark_sent(ANN, "flip", "noon")
        assert not again.mark_sent(ANN, "flip", "noon")
        assert again.mark_sent(BEN, "flip", "noon")
        assert again.mark_sent(ANN, "lane", "noon")
        assert again.mark_sent(ANN, "flip", "midnight")

    def test_one_of_many_who_mark_at_once_is_the_first(self, store, again):
        with ThreadPoolExecutor(8) as pool:
            marked = list(pool.map(lambda n: (store, again)[n % 2].mark_sent(ANN, "flip", "noon"), range(40)))
        assert marked.count(True) == 1

    def test_an_alert_waits_until_it_is_taken_and_is_taken_once(self, store, again):
        store.queue([alert()])
        store.queue([alert()])
        assert again.waiting() == [alert()]
        assert again.take(alert())
        assert not store.take(alert())
        store.queue([alert()])
        assert store.waiting() == []

    def test_an_alert_that_was_not_delivered_is_put_back(self, store):
        store.queue([alert()])
        store.take(alert())
        store.put_back(alert())
        assert store.waiting() == [alert()]

    def test_an_alert_of_a_person_who_was_forgotten_is_not_put_back(self, store):
        store.queue([alert()])
        store.take(alert())
        store.forget(ANN)
        store.put_back(alert())
        assert store.waiting() == []

    def test_an_alert_that_is_no_news_any_more_is_dropped(self, store, clock):
        until = clock.now.timestamp() + 60
        store.queue([alert(until=until)])
        clock.move(seconds=60)
        assert store.waiting() == [alert(until=until)]
        clock.move(seconds=1)
        assert store.waiting() == []

    def test_what_was_seen_is_known_after_a_restart(self, store, again):
        assert store.state("flip") is None
        store.set_state("flip", {"side": "BULLISH"})
        store.set_state("flip", {"side": "BEARISH"})
        assert again.state("flip") == {"side": "BEARISH"}
        assert again.state("lane") is None

    def test_marks_are_forgotten_after_ninety_days(self, store, clock):
        store.mark_sent(ANN, "flip", "noon")
        clock.move(days=91)
        store.waiting()
        assert not store.is_marked(ANN, "flip", "noon")


class TestConversations:
    def test_each_is_at_the_step_it_reached_last(self, store, again):
        store.set_conversation("challenge", (ANN, ANN), 0)
        store.set_conversation("challenge", (ANN, ANN), 1)
        store.set_conversation("another", (ANN, ANN), "begun")
        assert again.conversations("challenge") == {(ANN, ANN): 1}
        assert again.conversations("another") == {(ANN, ANN): "begun"}
        store.set_conversation("challenge", (ANN, ANN), None)
        assert again.conversations("challenge") == {}

    def test_after_an_hour_a_restart_does_not_bring_it_back(self, store, clock):
        store.set_conversation("challenge", (ANN, ANN), 0)
        clock.move(minutes=50)
        store.set_conversation("challenge", (BEN, BEN), 0)
        clock.move(minutes=11)
        assert store.conversations("challenge") == {(BEN, BEN): 0}


class TestForget:
    def fill(self, store: Store, user: int) -> tuple[str, int]:
        """Something of every kind of one person."""
        store.remember_challenge(user, user, user)
        store.set_digest(user, user, 7, "UTC")
        store.queue([alert(user)])
        store.set_conversation("challenge", (user, user), 1)
        return store.keep(user, "votes", {"question": QUESTION}), store.save_draft(user, QUESTION)

    def test_everything_of_one_person_goes_and_is_counted(self, store):
        self.fill(store, ANN)
        assert store.forget(ANN) == {
            "answers": 1,
            "drafts": 1,
            "challenges": 1,
            "alerts": 1,
            "waiting": 1,
            "sent": 1,
            "conversations": 1,
        }
        assert set(store.forget(ANN).values()) == {0}

    def test_everything_of_another_person_stays(self, store):
        self.fill(store, ANN)
        token, draft = self.fill(store, BEN)
        store.forget(ANN)
        assert store.find(BEN, token) == {"question": QUESTION}
        assert store.draft(BEN, draft) == Draft(QUESTION, None)
        assert store.open_challenges() == [Authored(BEN, BEN, BEN)]
        assert store.digest(BEN) == {"hour": 7, "timezone": "UTC"}
        assert store.waiting() == [alert(BEN)]
        assert store.conversations("challenge") == {(BEN, BEN): 1}

    def test_nothing_of_what_was_written_is_left_on_the_disk(self, store, file):
        self.fill(store, ANN)
        store.keep(ANN, "votes", {"question": "whether a certain ship comes in"})
        files = list(file.parent.iterdir())
        assert any(b"a certain ship" in one.read_bytes() for one in files)
        store.forget(ANN)
        assert not any(b"a certain ship" in one.read_bytes() for one in files)
