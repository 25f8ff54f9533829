"""The settings of groups."""

from __future__ import annotations

import pytest

from tests.bot.store.people import GROUP, alert

SUPERGROUP = -1001


def test_both_settings_are_off_at_first(store):
    assert store.group_settings(GROUP) == (False, False)


@pytest.mark.parametrize("name", ["weekly", "commands_only"])
def test_a_setting_is_switched_on_and_off(store, again, name):
    store.set_group_setting(GROUP, name, is_on=True)
    assert [key for key, is_on in again.group_settings(GROUP)._asdict().items() if is_on] == [name]
    store.set_group_setting(GROUP, name, is_on=False)
    assert again.group_settings(GROUP) == (False, False)


def test_an_unknown_setting_is_refused(store):
    with pytest.raises(ValueError, match="no such setting"):
        store.set_group_setting(GROUP, "flip", is_on=True)


def test_a_supergroup_keeps_what_the_group_had(store):
    """Its settings, its language, its alerts, and the marks of those that were sent."""
    store.set_group_setting(GROUP, "weekly", is_on=True)
    store.choose_language(GROUP, "de")
    store.queue([alert(GROUP, "weekly")])
    store.move_group(GROUP, SUPERGROUP)
    assert store.group_settings(SUPERGROUP).weekly
    assert not store.group_settings(GROUP).weekly
    assert store.language(SUPERGROUP) == "de"
    assert [waiting.chat_id for waiting in store.waiting()] == [SUPERGROUP]
    assert store.is_marked(SUPERGROUP, "weekly", "noon")
