"""The application's job: the watcher."""

from __future__ import annotations

from datetime import UTC, datetime

from bot import alerts


def test_the_watcher_runs_every_minute(stage, monkeypatch):
    for job in stage.application.job_queue.jobs():
        assert job.trigger.interval.total_seconds() == 60
        assert job.next_t <= datetime.now(UTC)  # the first pass is at the start, however long after the building it is
    names = []

    async def watch(*parts: object) -> None:
        names.append(parts)

    monkeypatch.setattr(alerts, "watch", watch)
    stage.work()
    state = stage.application.bot_data["state"]
    assert names == [(state.service, state.store, state.now())]


def test_a_due_digest_is_sent_over_the_real_service(ann, store, service, caplog):
    """Two passes send it once."""
    store.set_digest_hour(ann.id, ann.chat, "8")
    before = service.wall
    try:
        service.wall += 86400
        for _ in range(2):
            ann.stage.work()
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
