"""A voter in the tournament of a running service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from notebooks.lab import Archive, TournamentEntry, VoterRefused, enter
from service.client import Client, ConnectionFailed
from tests.notebooks.conftest import InterceptedClient, challenged_service, client_of
from tests.notebooks.lab.test_voters import Seer
from tests.processes import wait_until
from tests.running_service import RunningService, copied

pytestmark = pytest.mark.slow


class Sober:
    """Half of the way from a coin to the pool."""

    def forecast(self, question, inputs):
        return 0.5 * inputs.pool + 0.25


@pytest.fixture(scope="module")
def service(seeded: Path, tmp_path_factory) -> Iterator[RunningService]:
    """A service of its own, in which a challenge has just been voted on."""
    with challenged_service(copied(seeded, tmp_path_factory.mktemp("entry"))) as running:
        yield running


@pytest.fixture(scope="module")
def downloads(tmp_path_factory) -> Path:
    """The files of the archive, which each test goes on with."""
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture
def tournament(service: RunningService) -> Iterator[Client]:
    """A client of that service with an address and a key of its own, so that no limit is reached."""
    with client_of(service) as client:
        yield client


def test_an_entered_voter_forecasts_new_markets(tournament: Client, downloads: Path, capsys):
    """Live markets of the last hour, once; the backfilled ones are no part of the tournament."""
    archive = Archive(tournament, downloads, progress=False)
    entry = enter(Sober, archive, name="sober-owl", every_s=3600)
    try:
        new = [market for market in archive.record().markets if not market.backfilled]
        forecasts = entry.sent
        assert f"{len(forecasts)} forecasts sent, every 3600 s" in capsys.readouterr().out
        assert "challenge-1" in forecasts.index
        assert set(forecasts.index) == {market.question.id for market in new}
        pool = next(market.pool for market in new if market.question.id == "challenge-1")
        assert forecasts.loc["challenge-1", "p_yes"] == pytest.approx(0.5 * pool + 0.25, abs=1e-4)
        assert forecasts.loc["challenge-1", "counts_in"] == ""
        (row,) = tournament.ledger(int(forecasts.loc["challenge-1", "seq"]), 1)["entries"]
        assert (row["kind"], row["body"]["market"]) == ("forecast", "challenge-1")
        assert tournament.usage()["forecaster"] == "sober-owl"
        assert entry.send_due() == []
        assert entry.is_running
    finally:
        entry.stop()
    wait_until(lambda: not entry.is_running)


def test_an_entry_that_sends_nothing_says_why(tournament: Client, downloads: Path, capsys):
    class Silent(Sober):
        def forecast(self, question, inputs):
            return None

    enter(Silent, Archive(tournament, downloads, progress=False), every_s=3600).stop()
    assert "0 forecasts sent (no live market that it forecasts has opened" in capsys.readouterr().out


def test_an_entry_goes_on_after_the_service_was_away(tournament: Client, downloads: Path):
    stub = InterceptedClient(tournament)
    entry = TournamentEntry(Sober, Archive(stub, downloads, progress=False), every_s=0.5)
    entry.start()
    try:
        stub.fault = ConnectionFailed("away")
        wait_until(lambda: isinstance(entry.trouble, ConnectionFailed))
        assert "away" in repr(entry)
        stub.fault = None
        wait_until(lambda: entry.trouble is None)
        assert entry.is_running
    finally:
        entry.stop()


def test_an_error_of_the_voter_ends_its_entry(tournament: Client, downloads: Path, capfd):
    """Its traceback is shown, because nobody waits for it."""
    entry = TournamentEntry(Sober, Archive(tournament, downloads, progress=False), every_s=0.01)
    entry.start()
    entry.send_due = lambda: 1 / 0
    wait_until(lambda: not entry.is_running)
    assert isinstance(entry.trouble, ZeroDivisionError)
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_a_second_entry_replaces_the_first(tournament: Client, downloads: Path):
    archive = Archive(tournament, downloads, progress=False)
    first, second = (enter(Sober, archive, every_s=3600) for _ in range(2))
    try:
        wait_until(lambda: not first.is_running)
        assert second.is_running
    finally:
        second.stop()


def test_a_voter_that_sees_the_future_cannot_enter(tournament: Client, downloads: Path):
    with pytest.raises(VoterRefused, match="future"):
        enter(Seer, Archive(tournament, downloads, progress=False))
