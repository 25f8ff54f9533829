"""The author of a challenge gets its outcome, once."""

from __future__ import annotations

from service.client import NotFound
from tests.bot.alerts.world import ANN, DOWN, challenge

NO_CHALLENGE = NotFound(404, {"code": "not_found", "detail": "No challenge has this number."})


def test_the_author_gets_the_outcome_when_it_resolves(world):
    world.author(ANN, 17)
    world.service.challenges_by_number[17] = challenge(17)
    ((chat, text, silent),) = world.check()
    assert (chat, silent) == (ANN, False)
    assert "17" in text
    assert "YES" in text.upper()


def test_a_void_challenge_is_reported_too(world):
    world.author(ANN, 17)
    world.service.challenges_by_number[17] = challenge(17, "void", "void")
    assert len(world.check()) == 1


def test_an_unresolved_challenge_sends_nothing(world):
    world.author(ANN, 17)
    world.service.documents["challenges"]["challenges"] = [challenge(17, "open", None)]
    assert world.check() == []
    assert "challenge 17" not in world.service.calls
    world.service.documents["challenges"]["challenges"] = []
    world.service.challenges_by_number[17] = challenge(17, "closed", None)
    assert world.check() == []
    world.service.challenges_by_number[17] = challenge(17)
    assert len(world.check()) == 1


def test_the_outcome_is_sent_once_across_restarts(world):
    world.author(ANN, 17)
    world.service.challenges_by_number[17] = challenge(17)
    assert len(world.check()) == 1
    world.restart()
    assert world.check() == []
    world.author(ANN, 17)
    assert world.check() == []


def test_a_silent_alert_makes_no_sound(world):
    world.subscribe("followed", ANN, state="silent")
    world.author(ANN, 17)
    world.service.challenges_by_number[17] = challenge(17)
    assert [silent for _, _, silent in world.check()] == [True]


def test_an_outcome_missed_while_off_is_never_sent(world):
    world.author(ANN, 17)
    world.subscribe("followed", ANN, state="off")
    world.service.challenges_by_number[17] = challenge(17)
    assert world.check() == []
    world.subscribe("followed", ANN)
    assert world.check() == []


def test_an_unreachable_service_delays_the_outcome(world):
    world.author(ANN, 17)
    world.service.challenges_by_number[17] = DOWN
    assert world.check() == []
    world.service.broken["challenges"] = DOWN
    world.service.challenges_by_number[17] = challenge(17)
    assert world.check() == []
    world.service.broken.clear()
    assert len(world.check()) == 1


def test_an_unknown_challenge_does_not_block_others(world):
    world.author(ANN, 1)
    world.author(ANN, 2)
    world.service.challenges_by_number = {1: NO_CHALLENGE, 2: challenge(2)}
    assert len(world.check()) == 1
    world.check()
    assert world.service.calls.count("challenge 1") == 1


def test_a_404_without_a_code_is_retried(world):
    world.author(ANN, 17)
    world.service.challenges_by_number[17] = NotFound(404, {})
    assert world.check() == []
    world.service.challenges_by_number[17] = challenge(17)
    assert len(world.check()) == 1


def test_many_challenges_are_checked_in_turn(world):
    for number in range(1, 51):
        world.author(ANN, number)
        world.service.challenges_by_number[number] = challenge(number, "closed", None)
    for _ in range(3):
        world.check()
    calls = [name for name in world.service.calls if name.startswith("challenge ")]
    assert len(calls) == 60
    assert len(set(calls)) == 50
