"""Open questions, and the payloads of buttons."""

from __future__ import annotations

from tests.bot.store.conftest import ANN, BEN, GROUP, QUESTION


def test_a_question_is_open_until_it_is_closed(store):
    first = store.open_question(ANN, GROUP, 7, 5, QUESTION, 0)
    store.set_waiting(first.number, 6)
    (question,) = store.open_questions()
    assert question == first._replace(waiting_id=6)
    assert question[1:7] == (ANN, GROUP, 7, 5, 6, QUESTION)
    store.close_question(first.number)
    assert store.open_questions() == []


def test_a_later_question_has_another_key(store, clock):
    """Also when it gets the number of a question that was closed."""
    keys = set()
    for update_id in range(2):
        question = store.open_question(ANN, ANN, None, None, QUESTION, update_id)
        store.close_question(question.number)
        keys.add(question.key)
        clock.move(seconds=1)
    assert len(keys) == 2


def test_a_token_returns_the_payload_in_its_chat_only(store, again, clock):
    """For seven days, unless it is dropped there before."""
    token = store.keep(ANN, "votes", {"question": QUESTION, "page": 2})
    assert store.find(ANN, token) == again.find(ANN, token) == {"question": QUESTION, "page": 2}
    assert (store.find(BEN, token), store.find(ANN, "nothing")) == (None, None)
    clock.move(days=7)
    store.drop_payload(BEN, token)
    assert store.find(ANN, token)
    clock.move(seconds=1)
    assert store.find(ANN, token) is None
    token = store.keep(ANN, "challenge", {})
    store.drop_payload(ANN, token)
    assert store.find(ANN, token) is None


def test_a_token_fits_into_a_button(store):
    tokens = {store.keep(ANN, "votes", {"page": n}) for n in range(50)}
    assert len(tokens) == 50
    assert all(len(token) <= 12 and token.replace("-", "").replace("_", "").isalnum() for token in tokens)


def test_what_was_understood_last_follows_another_sentence(store):
    """A question that is offered and then asked is one; what was forgotten is followed by nothing."""
    first, second = {"canonical": "first?"}, {"canonical": "second?"}
    store.keep(ANN, "answer", {"answer": {"understood": first}})
    assert store.newest_meaning(ANN, 60) == first | {"follows": None}
    for payload in ({"understood": second}, {"answer": {"understood": second | {"follows": None}}}):
        store.keep(ANN, "answer", payload)
        assert store.newest_meaning(ANN, 60) == second | {"follows": "first?"}
    store.keep(ANN, "meaning", {"understood": {}})
    assert store.newest_meaning(ANN, 60) is None
    store.keep(ANN, "answer", {"understood": second})
    assert store.newest_meaning(ANN, 60) == second | {"follows": None}


def test_the_newest_200_of_a_chat_are_kept(store):
    others = store.keep(BEN, "votes", {})
    tokens = [store.keep(ANN, "votes", {"n": n}) for n in range(205)]
    assert [store.find(ANN, token) is None for token in tokens] == [True] * 5 + [False] * 200
    assert store.find(BEN, others) == {}


def test_the_same_payload_keeps_its_token(store, clock):
    token = store.keep(ANN, "lanes", {"venue": "cex"})
    clock.move(days=5)
    assert store.keep(ANN, "lanes", {"venue": "cex"}) == token
    assert store.keep(ANN, "lane", {"venue": "cex"}) != token
    clock.move(days=5)
    assert store.find(ANN, token) == {"venue": "cex"}


def test_a_payload_in_a_group_belongs_to_one_person(store):
    of_ann = store.keep(GROUP, "votes", {"question": QUESTION}, user_id=ANN)
    of_ben = store.keep(GROUP, "votes", {"question": QUESTION}, user_id=BEN)
    assert store.find(GROUP, of_ann) == {"question": QUESTION}
    assert store.forget(ANN)["answers"] == 1
    assert store.find(GROUP, of_ann) is None
    assert store.find(GROUP, of_ben) == {"question": QUESTION}
