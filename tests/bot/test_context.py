"""What every handler is given: the saved payloads of its chat, the person's service, and the views."""

from __future__ import annotations

import pytest
from telegram import Update

from bot.context import BotContext, Expired
from tests.bot.conftest import Person


def context_of(person: Person) -> tuple[Update, BotContext]:
    """A message of a person, and the context that its handler gets."""
    application = person.stage.application
    update = Update.de_json({"update_id": 1, "message": person.message({"text": "btc"})}, application.bot)
    return update, BotContext.from_update(update, application)


def test_a_payload_is_found_in_its_chat_alone(ann, ben, store):
    """In another chat it counts as expired."""
    token = store.keep(ann.chat, "answer", {"page": 2})
    (update, context), (other, foreign) = context_of(ann), context_of(ben)
    assert ann.stage.runner.run(context.payload(update, token)) == {"page": 2}
    with pytest.raises(Expired):
        ben.stage.runner.run(foreign.payload(other, token))


def test_a_view_is_that_of_the_sender(ann, ben, store):
    store.set_switch(ann.id, ann.chat, "flip", "on")
    pages = [person.stage.runner.run(context.view(update, "alerts")) for person, (update, context) in _both(ann, ben)]
    assert ["The consensus changes sides: on" in repr(page.keyboard.to_dict()) for page in pages] == [True, False]


def test_a_service_call_is_made_for_the_sender(ann, ben):
    names = [context.person(update)._name for _, (update, context) in _both(ann, ben)]
    assert names == [f"telegram {ann.id}", f"telegram {ben.id}"]


def _both(*people: Person) -> list[tuple[Person, tuple[Update, BotContext]]]:
    return [(person, context_of(person)) for person in people]
