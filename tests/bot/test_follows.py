"""[Follow], [Share] and their links; levels of a price and of a probability; quiet hours."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.bot.conftest import QUESTION, TURNOUT


def link_of(reply) -> tuple[str, str]:
    """The /start command and the text that [Share] offers."""
    link = parse_qs(urlsplit(reply.buttons["Share"]).query)
    address = urlsplit(link["url"][0])
    assert (address.netloc, address.path) == ("t.me", "/ninefold_bot")
    return f"/start {parse_qs(address.query)['start'][0]}", link["text"][0]


def followed(store, person) -> list[tuple[str, str]]:
    return [(follow.target.kind, follow.target.subject) for follow in store.follows_of(person.id)]


def test_an_answer_is_followed_and_unfollowed(ann, store):
    """The watcher asks the service for it after the deadline, with its owner's code."""
    reply = ann.says(QUESTION)
    ann.presses("Follow")
    assert "when this question is decided" in ann.stage.telegram.popups[-1]
    (follow,) = store.follows_of(ann.id)
    assert (follow.target.kind, follow.target.title, follow.target.owner_id) == ("answer", QUESTION, ann.id)
    assert follow.target.due > 0
    person = ann.stage.state.service.for_user(follow.target.owner_id)
    answer = ann.stage.runner.run(person.answer(follow.target.subject))
    assert (answer["question"], answer["resolution"]) == (QUESTION, None)
    ann.presses("Following ✓")
    assert store.follows_of(ann.id) == []
    assert "Follow" in reply.buttons


def test_a_shared_answer_opens_for_another_person(ann, ben, store):
    """Without the quota of its owner; to follow it, the owner's code reads it later."""
    answer = ann.says(QUESTION)
    command, text = link_of(answer)
    assert QUESTION in text
    reply = ben.says(command)
    assert TURNOUT in reply.plain
    assert "questions left today" not in reply.plain
    assert store.open_questions() == []
    ben.presses("Follow")
    assert store.follows_of(ben.id)[0].target.owner_id == ann.id
    ben.presses("Show votes")
    assert "momentum" in reply.plain


@pytest.mark.parametrize("link", ["answer_AAAAAAAAAAAA", "challenge_999999", "market_no-such-market"])
def test_a_dead_link_is_one_sentence(ann, link):
    """One that is not opens a view."""
    reply = ann.says(f"/start {link}")
    assert 0 < len(reply.plain) < 300
    assert "Something went wrong" not in reply.plain
    assert "Bitcoin" in ann.says("/start price_btc").plain


def test_a_market_is_opened_shared_and_followed(ann, ben, store):
    reply = ann.says("/markets")
    ann.presses("1. …")
    assert "Rule: YES if" in reply.plain
    assert "SIMULATED" in reply.plain
    ann.presses("Follow")
    assert "Following ✓" in reply.buttons
    ((kind, market_id),) = followed(store, ann)
    assert kind == "market"
    command, _ = link_of(reply)
    assert command == f"/start market_{market_id}"
    assert ben.says(command).plain == reply.plain
    level = next(label for label in reply.buttons if label.startswith("🔔 AI"))
    ann.presses(level)
    assert followed(store, ann) == [("chance", market_id), ("market", market_id)]
    assert store.follows_of(ann.id)[0].target.value is not None


def test_a_challenge_is_followed_by_its_author(ann, ben, store):
    ann.says("/challenge Will Bitcoin be above $71k on 2026-12-31?")
    reply = ann.presses("Create")
    assert "Following ✓" in reply.buttons
    page = ben.says(link_of(reply)[0])
    ben.presses("Follow")
    assert "Following ✓" in page.buttons
    assert followed(store, ann) == followed(store, ben)


def test_a_level_of_a_price_is_a_button_or_a_text(ann, store):
    reply = ann.says("/price btc")
    below, above = (label for label in reply.buttons if label.startswith("🔔"))
    ann.presses(below)
    assert "when Bitcoin falls to 50,600 USD" in ann.stage.telegram.popups[-1]
    ann.presses(above)
    assert "when Bitcoin reaches" in ann.stage.telegram.popups[-1]
    for text, level in (("btc 70,000", 70_000), ("Bitcoin 71.5k", 71_500), ("eth $9000", 9_000)):
        assert f"reaches {level:,} USD" in ann.says(f"/follow {text}").plain
    assert len(store.follows_of(ann.id)) == 5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("/follow pepe 1", "Send an asset and a price"),
        ("/follow whatever", "Send an asset and a price"),
        ("/follow btc lots", "At which price of Bitcoin shall I tell you?"),
        ("alert me about bitcoin", "At which price of Bitcoin shall I tell you?"),
        # Ten times higher or lower than the price, or no number.
        ("/follow btc 0", "? Bitcoin is at 53,212 USD now. No alert is set."),
        ("/follow btc 6000000", "? Bitcoin is at 53,212 USD now. No alert is set."),
        ("/follow btc 1.2.3", "? Bitcoin is at 53,212 USD now. No alert is set."),
        ("tell me when btc moves 5%", "At which price of Bitcoin shall I tell you?"),
        ("alert me when btc rises to 40k", "SIMULATED market · as of"),
        ("cancel all my alerts", "You have no alerts."),
        ("cancel my gold alert", "You have no such alert, so nothing was deleted."),
        ("/following", "You follow nothing"),
    ],
)
def test_what_sets_and_ends_no_alert_says_why(ann, store, text, words):
    """It offers levels, and says which market it would be."""
    reply = ann.says(text)
    assert words in reply.plain
    if "At which price" in reply.plain:
        assert "SIMULATED market · as of" in reply.plain
        assert [*reply.buttons][:2] == (
            ["🔔 ▼ 50,551", "🔔 ▲ 55,872"] if "5%" in text else ["🔔 ▼ 50,600", "🔔 ▲ 55,900"]
        )
    assert store.follows_of(ann.id) == []


@pytest.mark.parametrize(("text", "level"), [("gold 3.900,50", "3,900.5"), ("btc -5%", "50,551.26")])
def test_a_level_is_read_as_people_write_it(ann, store, text, level):
    """By the reader of the service, which also reads questions."""
    ann.says(f"/follow {text}")
    (follow,) = store.follows_of(ann.id)
    assert f"{follow.target.level:,.2f}".rstrip("0").rstrip(".") == level


@pytest.mark.parametrize(
    ("text", "words", "label"),
    [
        ("btc above 50000", "already above 50,000. Tell you when it falls back?", "🔔 ▼ 50,000"),
        ("btc below 60k", "already below 60,000. Tell you when it rises back?", "🔔 ▲ 60,000"),
    ],
)
def test_a_level_that_is_passed_is_offered_backwards(ann, store, text, words, label):
    assert f"Bitcoin is at 53,212 USD, {words}" in ann.says(f"/follow {text}").plain
    assert store.follows_of(ann.id) == []
    ann.presses(label)
    (follow,) = store.follows_of(ann.id)
    assert f"{follow.target.level:,.0f}" in label


def test_an_alert_carries_on(ann, store):
    """To another asset with its percentage; without one the level is asked for, and a number is the answer."""
    ann.says("tell me when btc drops 5%")
    assert "when Solana falls to 103.13 USD" in ann.says("same for sol").plain
    assert "when gold falls to 2,792 USD" in ann.says("and gold?").plain
    ann.says("tell me when btc hits 60k")
    assert "At which price of Ethereum shall I tell you?" in ann.says("same for eth").plain
    assert "when Ethereum falls to 2,000 USD" in ann.says("2000").plain
    ann.says("tell me when btc hits 60k")
    assert "▲ Solana" in ann.says("sol").plain.splitlines()[0]
    ann.says("tell me when btc hits 60k")
    assert "Where Bitcoin will be" in ann.says("what is going on with bitcoin").plain
    assert len(store.follows_of(ann.id)) == 5


def test_an_alert_takes_the_level_of_the_last_question(ann, store):
    ann.says("Will Bitcoin be above 60,000 USD on November 30?")
    assert "when Bitcoin reaches 60,000 USD" in ann.says("ping me if it does").plain
    assert "already below" not in ann.newest.plain
    assert followed(store, ann) == [("price", "btc")]


@pytest.mark.parametrize(("text", "is_all"), [("取消所有提醒", True), ("cancel my eth alert", False)])
def test_all_alerts_end_after_a_question(ann, store, text, is_all):
    """The question lists them; those of the named asset, else all."""
    ann.says("/follow btc 70000")
    ann.says("/follow eth 9000")
    reply = ann.says(text)
    assert ("Bitcoin at 70,000" in reply.plain) == is_all
    ann.presses("Keep")
    assert len(store.follows_of(ann.id)) == 2
    assert "End all" in reply.buttons
    ann.says(text)
    ann.presses("Delete")
    assert followed(store, ann) == ([] if is_all else [("price", "btc")])
    assert ("You follow nothing" in ann.newest.plain) == is_all


def test_alerts_are_listed_in_private_only(ann, stage, group):
    ann.says("/follow btc 70000")
    assert "1. Bitcoin at 70,000 USD" in ann.says("show my alerts").plain
    member = stage.person(group)
    assert "In groups I answer" in member.says("@ninefold_bot show my alerts").plain


def test_what_is_followed_is_listed_and_ended(ann, store):
    ann.says("/follow btc 70000")
    ann.says("/follow eth 9000")
    reply = ann.says("/following")
    assert "1. Ethereum at 9,000 USD (+307%)\n2. Bitcoin at 70,000 USD (+31.5%)" in reply.plain
    ann.presses("2 ✕")
    assert "Bitcoin" not in reply.plain
    assert followed(store, ann) == [("price", "eth")]


def test_a_follow_in_a_group_alerts_in_private(stage, group, store):
    """The button keeps its label, since it is for every member."""
    member = stage.person(group)
    reply = member.says(f"/ask {QUESTION}")
    other = stage.person(group)
    other.presses("Follow", on=reply)
    (follow,) = store.follows_of(other.id)
    assert (follow.chat_id, follow.target.owner_id) == (other.id, member.id)
    assert "private chat" in stage.telegram.popups[-1]
    assert "Follow" in reply.buttons


def test_an_alert_can_end_and_come_again(ann, store):
    """Two buttons below its confirmation; the list shows both, and the distance to the level."""
    reply = ann.says("alert me when btc hits 60k")
    assert list(reply.buttons) == ["Ends: –", "Again: off"]
    ann.presses("Ends: –", "Ends: 24 h", "Again: off")
    assert list(reply.buttons) == ["Ends: 7 d", "Again: on"]
    assert "when Bitcoin reaches 60,000 USD" in reply.plain
    assert "1. Bitcoin at 60,000 USD (+12.8%, until 2026-11-28 08:0" in ann.says("/following").plain
    (follow,) = store.follows_of(ann.id)
    store.drop_follow(ann.id, follow.number)
    ann.presses("Again: on", on=reply)
    assert ann.stage.telegram.popups[-1] == "This answer has expired. Ask again."


def test_an_alert_says_what_else_stays_and_whether_the_market_is_closed(ann):
    """That of a move has no period: the level counts, whenever it comes."""
    ann.says("alert me when gold hits 3100")
    reply = ann.says("alert me when gold hits 3200").plain
    assert "Your other alerts stay: 3,100 USD." in reply
    assert "This market is closed now." in reply
    assert "stay" not in ann.says("alert me when btc hits 60k").plain
    assert "SIMULATED market · as of" in ann.says("alert me when btc hits 60").plain
    reply = ann.says("tell me when eth moves up 5% in a day").plain
    assert "when Ethereum reaches" in reply
    assert "That is +5.0% from the price now, however long it takes." in reply
    assert "SIMULATED market" in reply
