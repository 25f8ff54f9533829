"""The application's job: the watcher."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from bot import alerts
from bot.application import StorePersistence


def test_the_watcher_runs_every_minute(stage, monkeypatch):
    (job,) = stage.application.job_queue.jobs()
    assert job.trigger.interval.total_seconds() == 60
    assert job.next_t <= datetime.now(UTC)  # the first pass is at the start, however long after the building that is
    names = []

    async def watch(*parts: object) -> None:
        names.append(parts)

    monkeypatch.setattr(alerts, "watch", watch)
    stage.runner.run(job.run(stage.application))
    stage.settle()
    state = stage.application.bot_data["state"]
    assert names == [(state.service, state.store, state.now())]


def test_a_due_digest_is_sent_over_the_real_service(ann, store, service, caplog):
    """Two passes send it once."""
    store.set_digest(ann.id, ann.chat, 8, "UTC")
    (job,) = ann.stage.application.job_queue.jobs()
    before = service.wall
    try:
        service.wall += 86400
        for _ in range(2):
            ann.stage.runner.run(job.run(ann.stage.application))
            ann.stage.settle()
    finally:
        service.wall = before
    assert len(ann.messages) == 1
    assert "Digest" in ann.newest.plain
    assert "ERROR" not in caplog.text


def test_nobody_can_stop_the_bot_for_others(ann, ben, service):
    """After thirty updates in a minute a person is told once, then ignored until the minute is over."""
    before = service.wall
    try:
        for _ in range(40):
            ann.says("/help", settle=False)
        ann.stage.settle()
        assert len(ann.messages) == 31
        assert "Wait a minute" in ann.newest.plain
        ann.presses("Reload", on=ben.says("/quota"))
        assert "Wait a minute" in ann.stage.telegram.popups[-1]
        assert "10 of 10" in ben.newest.plain
        service.wall += 61
        assert "/quota" in ann.says("/help").plain
    finally:
        service.wall = before


def test_a_step_of_a_conversation_is_written_within_a_second(store):
    """A killed bot has no time to write; nothing but conversations is kept."""
    persistence = StorePersistence(store)
    assert persistence.update_interval <= 1
    asyncio.run(persistence.update_conversation("challenge", (11, 11), 1))
    assert store.conversations("challenge") == {(11, 11): 1}
    data = persistence.store_data
    assert not any((data.user_data, data.chat_data, data.bot_data, data.callback_data))
