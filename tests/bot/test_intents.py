"""What a text wants: free of charge unless the voters answer it, and read together with what came before."""

from __future__ import annotations

import re

import pytest

from service.market.assets import ASSETS
from tests.bot.conftest import QUESTION, TURNOUT
from tests.bot.fake_telegram import ME

NEWS = "BREAKING: Bitcoin ETF inflows hit a record\n\nAnalysts expect btc above 60k on December 5. "
NEWS += "More about this follows below. " * 20
GREETING = "Hello! Send me a question, for example:\nWill bitcoin rise by December 31?"


def quotation(person, reply) -> dict:
    """A reply of the bot as a text of the person quotes it, with its buttons."""
    return person.message({"text": reply.plain, "from": ME, "reply_markup": {"inline_keyboard": reply.keyboard}})


@pytest.mark.parametrize(
    "text",
    ["btc up\ntomorrow?", "btc\tup\r\n\n\ntomorrow?", "  btc up \x07 tomorrow?\n", "where will btc be in 500 days?"],
)
def test_line_breaks_and_tabs_are_spaces(ann, text):
    """The voters are asked, also where no forecast reaches."""
    assert TURNOUT in ann.says(text).plain
    assert ann.questions_left() == 9


def test_a_caption_is_a_text(ann, stage, group):
    photo = [{"file_id": "1", "file_unique_id": "1", "width": 1, "height": 1}]
    assert TURNOUT in ann.sends(photo=photo, caption=QUESTION).plain
    assert TURNOUT in stage.person(group).sends(photo=photo, caption=f"@ninefold_bot {QUESTION}").plain


def test_forwarded_news_is_read_from_its_beginning(ann):
    origin = {"type": "hidden_user", "sender_user_name": "News", "date": 1}
    assert TURNOUT in ann.says(NEWS, forward_origin=origin).plain
    assert "the limit is 500" in ann.says(NEWS).plain


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("btc", "▲ Bitcoin 53,212 USD"),
        ("was kostet bitcoin", "▲ Bitcoin 53,212 USD"),
        ("where will btc be on friday?", "Where Bitcoin will be"),
        ("should i buy btc?", "something is, for example:\n1. Bitcoin rises, on 2026-11-28"),
        ("long or short 10x?", "I give no advice"),
        ("thanks!", "You are welcome"),
        ("hallo, alles klar?", GREETING),
        ("who are you?", "I am a bot. I say how likely"),
        ("help", "/quota"),
        ("how accurate are you?", "right (n ="),
        ("why?", "There is no answer yet"),
        ("is this free?", "10 of 10 questions left"),
        ("price of eth and xrp", "Prices in USD"),
        ("Sag mir Bescheid, wenn Bitcoin 60.000 erreicht", "when Bitcoin reaches 60,000 USD"),
        ("What is the price of bitcoin tomorrow?", "Where Bitcoin will be"),
        ("What will Bitcoin cost at Christmas?", "2026-12-25"),
    ],
)
def test_a_text_that_asks_no_voters_is_free(ann, text, words):
    """A greeting has two lines and nothing more."""
    reply = ann.says(text)
    assert reply.plain == words if words == GREETING else words in reply.plain
    assert len(ann.messages) == 1
    assert ann.questions_left() == 10


@pytest.mark.parametrize(
    ("zone", "text", "label"),
    [
        ("UTC", "Where will silver be on 19 December?", "2026-12-19 "),
        ("Asia/Tokyo", "Where will silver be on 19 December?", "2026-12-19 "),
        ("UTC", "where will btc be at 5pm?", "17:00 UTC "),
        ("UTC", "where will eth be at the end of June 2027?", "2027-06-30 "),
        ("UTC", "where will btc be?", "1h "),
    ],
)
def test_a_forecast_for_a_date_begins_with_it(ann, store, zone, text, label):
    """In the person's zone, and free of charge beyond 30 days too."""
    store.set_setting(ann.id, "zone", zone)
    head, _, row, *_ = ann.says(text).plain.splitlines()
    assert head.startswith("Where ")
    assert row.startswith(label)
    assert ann.questions_left() == 10


def test_why_a_price_moves_is_said_by_data(ann):
    """Whether the day is unusual, where the others went, the news; the votes of a last answer are one tap away."""
    reply = ann.says("why is btc up")
    lines = reply.plain.splitlines()
    assert lines[0] == "▲ Bitcoin 53,212 USD"
    assert "Unusual: on nine days of ten it moves at most 2.0%." in lines
    others = len(ASSETS) - 1
    assert f"{others} of {others} other markets moved the same way." in lines
    assert "Nobody knows the cause for certain. This is what the data of the last 24 hours shows." in lines
    assert any(re.match(r"· 2026-\d\d-\d\d \d\d:00 UTC: Bitcoin", line) for line in lines)
    assert any(line.startswith("News about Bitcoin in 24 hours: +0.03 (2 stories)") for line in lines)
    assert "Show votes" not in reply.buttons
    ann.says(QUESTION)
    assert "Show votes" in ann.says("why does bitcoin move").buttons


@pytest.mark.parametrize("text", ["why?", "show me the votes"])
def test_the_reasons_of_the_last_answer_are_free(ann, text):
    ann.says(QUESTION)
    reply = ann.says(text)
    assert "momentum" in reply.plain
    ann.presses("Answer", on=reply)
    assert TURNOUT in reply.plain
    assert ann.questions_left() == 9


@pytest.mark.parametrize("text", ["why?", "show me the votes"])
@pytest.mark.parametrize(
    ("offer", "words"),
    [
        ("sol vs eth who wins this week", "1. Solana does better than Ethereum"),
        ("will monero be above 2 on tuesday?", "1. Bitcoin reaches"),
        ("should i buy gold?", "1. Gold rises"),
    ],
)
def test_what_was_only_offered_has_no_votes(ann, offer, words, text):
    """The votes of an older answer are about something else; the offer comes again, and is one tap away."""
    answer = ann.says(QUESTION)
    ann.says(offer)
    reply = ann.says(text).plain.splitlines()
    assert reply[0] == "This has not been asked yet, so there are no votes:"
    assert reply[1].startswith(words)
    assert ann.questions_left() == 9
    assert "above $60k" in ann.says(text, reply_to_message=quotation(ann, answer)).plain
    ann.presses("Ask 1")
    assert TURNOUT in ann.newest.plain
    assert words[3:] in ann.newest.plain.replace("\n", " ")
    assert "momentum" in ann.says(text).plain
    assert "above $60k" not in ann.newest.plain


@pytest.mark.parametrize("text", ["you sound like my boss lol", "x", "Will my cat like me?", "🦊"])
def test_chatter_gets_one_friendly_reply(ann, text):
    """Nothing that a machine says: no suggestions, no buttons, no count."""
    reply = ann.says(text)
    names = ", ".join(asset.name for asset in ASSETS.values())
    assert reply.plain == f"🙂 I only know about prices: {names}. For example:\nWill bitcoin rise by December 31?"
    assert reply.buttons == {}
    assert ann.questions_left() == 10


@pytest.mark.parametrize(
    ("first", "text", "words", "count"),
    [
        (QUESTION, "and eth?", "1. Ethereum above 2,491 USD, on 2026-11-30", 9),
        (QUESTION, "by friday?", "Understood as: Will Bitcoin (btc) be above 60,000 USD at 2026-11-27", 8),
        (QUESTION, "what about 70k", "Understood as: Will Bitcoin (btc) be above 70,000 USD at 2026-11-30", 8),
        # A text that says all by itself does not carry the last question on.
        (QUESTION, "btc", "▲ Bitcoin 53,212 USD", 9),
        # Nobody has to ask a guess before the next text can change it; a price and a forecast are carried on too.
        ("will btc dump below 45k next week", "and 40k?", "40,000 USD", None),
        ("where will eth be in 30 days", "and in 7 days?", "Where Ethereum will be", 10),
        ("btc price", "and eth?", "▲ Ethereum 2,", 10),
        ("btc price", "and tomorrow?", "Where Bitcoin will be", 10),
        ("where's eth headed by friday", "same thing for bnb pls", "Where BNB will be", 10),
        ("how much are 2 btc in euros", "n in quid?", "2 Bitcoin = 83,930 GBP", 10),
        # A guess is shown first; its reading is shown as a level, and the next number is a percentage all the same.
        ("sol vs eth who wins this week", "and by friday?", "Do you mean this?", 10),
        ("will eth rise 10% by december 20?", "or 5?", "Ethereum reaches 2,319 USD", 10),
    ],
)
def test_a_text_carries_on_the_last(ann, first, text, words, count):
    ann.says(first)
    assert words in ann.says(text).plain
    assert count in (None, ann.questions_left())


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en", "will monero be above 2 on tuesday?", "That market is not covered."),
        ("de", "will monero be above 2 on tuesday?", "1. Bitcoin erreicht"),
        ("de", "soll ich gold kaufen?", "1. Gold steigt"),
        ("ja", "btc年内に900万円いくと思う?", "9,000,000 JPY = 59,400 USD"),
    ],
)
def test_what_can_be_asked_is_said_in_the_persons_words(ann, language, text, words):
    """Below a refusal and in place of advice: no English sentence in another language."""
    ann.language = language
    reply = ann.says(text).plain
    assert words in reply
    assert language == "en" or "Will " not in reply


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (QUESTION, "Understood as: Will Bitcoin (btc) be above 60,000 USD at 2026-11-27"),
        ("sol vs eth who wins this week", "1. Solana does better"),
    ],
)
def test_a_reply_carries_on_what_it_replies_to(ann, first, words):
    """The buttons below an answer or an offer say which one it is; the last question was another."""
    reply = ann.says(first)
    ann.says("Will gold rise this week?")
    assert words in ann.says("by friday?", reply_to_message=quotation(ann, reply)).plain


def test_a_mention_asks_what_another_member_wrote(stage, group):
    """Alone it asks the text that it replies to; with words it carries that text on."""
    member = stage.person(group)
    other = member.message({"text": QUESTION, "from": {"id": 7, "is_bot": False, "first_name": "Ben"}})
    assert "Understood as: Will Bitcoin (btc)" in member.says("@ninefold_bot", reply_to_message=other).plain
    reply = member.says("@ninefold_bot and by friday?", reply_to_message=other)
    assert "60,000 USD at 2026-11-27" in reply.plain
    chatter = member.message({"text": "Nice weather.", "from": {"id": 7, "is_bot": False, "first_name": "Ben"}})
    assert TURNOUT in member.says(f"@ninefold_bot {QUESTION}", reply_to_message=chatter).plain


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("will eth be above 2500 in 2050?", "Ethereum reaches 2,500 USD, by 2026-11-27"),
        ("will gold be above 3 on tuesday?", "Gold"),
        ("will monero be above 2 on tuesday?", "🙂 I only know about prices"),
        ("and in 2050?", "60,000 USD at 2026-11-27"),
        ("asdfgh", "60,000 USD at 2026-11-27"),
        ("thanks!", "60,000 USD at 2026-11-27"),
    ],
)
def test_nothing_older_than_a_refused_question_is_carried_on(ann, text, words):
    """Where its level or date was wrong, its first suggestion is; a refused rest of a question or chatter is none."""
    ann.says(QUESTION)
    ann.says(text)
    assert words in ann.says("by friday?").plain
