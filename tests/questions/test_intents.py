"""What a text wants is recognised in every language.

`intents.toml` and `intents_after_a_question.toml` hold the texts and say how they are written.
"""

from __future__ import annotations

import tomllib
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from service.errors import InvalidQuestion, InvalidRequest, NotAMarketQuestion, UnreadQuestion
from service.market.prices import Rate
from service.questions import Circumstances, read_any
from service.questions.conversation import ContextQuestion
from service.questions.criterion import Assumption
from service.questions.intents import no_question, read_text
from tests.questions.asking import HISTORY, NOW, RATES, SPOTS
from tests.questions.hostile_texts import hostile_texts
from tests.questions.test_cases import CASES
from tests.questions.test_conversation import CIRCUMSTANCES

TABLE, FOLLOW_UPS = (
    tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text("utf-8"))
    for name in ("intents", "intents_after_a_question")
)
LEAST_RIGHT = 0.97
# What a text about a price must not be taken for.
CHATTER = ("thanks", "greeting", "about_you", "accuracy", "quota", "help", "why", "show_votes", "none")


def _described(text: str, context: ContextQuestion | None = None) -> str:
    try:
        reading = read_text(text, CIRCUMSTANCES, context)
    except InvalidRequest:
        return "none"
    size = "" if reading.level_pct is None else f"{reading.level_pct:g}%"
    level = "" if reading.level is None else f"{reading.level:.10g}"
    return " ".join(filter(None, [reading.intent, reading.asset, level, size, reading.side]))


def test_what_a_text_wants_is_recognised():
    """At least 95% are right, and no text about a price is taken for chatter."""
    rows = [(language, *line.split(" => ")) for language, lines in TABLE.items() for line in lines.strip().splitlines()]
    readings = [(f"{language}: {text}", expected.split(" | "), _described(text)) for language, text, expected in rows]
    faults = [row for row in readings if row[2] not in row[1]]
    share = 1 - len(faults) / len(rows)
    lines = [f"{text} => {' | '.join(expected)} != {reading}" for text, expected, reading in faults]
    report = "\n".join([f"{share:.1%} of {len(rows)} are right", *lines])
    assert share >= LEAST_RIGHT, report
    intents = [(expected[0].split(" ")[0], reading.split(" ")[0]) for _, expected, reading in faults]
    assert not any(intent in CHATTER and wish not in CHATTER for wish, intent in intents), report


@pytest.mark.slow
def test_no_question_is_taken_for_something_else():
    """Of all questions of the tables of cases; one without an event may ask for the present price or advice."""
    faults = []
    for case in CASES:
        words = case.reading.split(" ")
        circumstances = Circumstances(case.now, SPOTS, history=HISTORY, rates=RATES)
        if words[0] != "refused":
            intent = read_text(case.question, circumstances).intent
            choices = ("price_forecast", "price", "advice") if "open" in words else ("question",)
            faults += [] if intent in choices else [f"{case.line} {case.question}: {intent}"]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("should i buy btc?", "No advice"),
        ("long or short btc 10x?", "No advice"),
        ("alert me when btc hits 60k", "No alert"),
        ("btc price", "Bitcoin is at 94,075.9 USD now"),
        ("price of btc and eth", "name one market and a date"),
        ("thanks", "names no market"),
    ],
)
def test_a_text_that_asks_no_forecast_gets_none(text, words):
    """It is refused with what it may ask instead."""
    reading = read_text(text, CIRCUMSTANCES)
    assert reading.meaning is None
    refusal = no_question(text, reading, CIRCUMSTANCES)
    assert words in refusal.detail
    assert refusal.errors[0].field == "question"
    assert all(read_any(suggestion, CIRCUMSTANCES) for suggestion in refusal.suggestions)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("tu te plantes souvent ?", "accuracy"),
        ("que dijo cada modelo", "show_votes"),
        ("тебе вообще можно верить", "accuracy"),
        ("按什么根据这么说的", "why"),
        ("вырастет?", "none"),
        ("at 99k on monday morning", "none"),
        ("menos 10% na sexta?", "none"),
        ("茅台明天会涨吗", "none"),
        ("geht apple morgen hoch", "none"),
        ("i'm starving", "none"),
        ("wird's morgen regnen", "none"),
        ("お腹すいた", "none"),
        ("bist du ein mensch", "about_you"),
        ("da dove vieni", "about_you"),
        ("vote breakdown", "show_votes"),
        ("should i ape into sol rn", "advice"),
    ],
)
def test_no_phrase_needs_to_match(text, intent):
    """A text without a market is classified, also as one about nothing of ours; one that asks for a price never is."""
    assert _described(text).split(" ")[0] == intent


def after(text: str) -> ContextQuestion:
    """The question of a text as the context of the next one."""
    return ContextQuestion(read_any(text, CIRCUMSTANCES).question)


def test_a_text_about_the_answer_carries_no_question_on():
    """Nor does chatter; a question that doubts the answer does."""
    context = after("will btc reach 100k by friday?")
    rows = [(intent, text) for intent, texts in FOLLOW_UPS.items() for text in texts.strip().splitlines()]
    readings = [(intent, text, _described(text, context)) for intent, text in rows]
    assert [row for row in readings if row[2].split(" ")[0] != row[0]] == []


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("will eth rise by friday?", "what's it at now btw"),
        ("l'eth va monter d'ici vendredi ?", "et combien il vaut là ?"),
        ("o eth sobe até sexta?", "e qto tá agora?"),
        ("эфир вырастет к пятнице?", "а скок щас?"),
        ("イーサは金曜までに上がる？", "今いくら?"),
        ("will eth be above 1900 on friday?", "which price is it at now"),
        ("ist eth am freitag über 1900?", "hmm und wo steht er gerade überhaupt"),
        ("эфир выше 1900 в пятницу?", "и какой сейчас курс"),
        ("イーサは金曜に1900より上？", "現在の価格は"),
        ("eth周五会高于1900吗", "现在什么价"),
        ("eth sopra 1900 venerdì?", "e adesso quanto vale in euro"),
        ("eth acima de 1900 na sexta?", "quanto é isso em reais"),
        ("¿eth por encima de 1900 el viernes?", "y a cuánto está en pesos ahora"),
        ("where will eth be on friday?", "in pounds pls"),
        ("où sera l'eth vendredi ?", "en yens"),
        ("will eth rise by friday?", "ok e adesso quanto vale"),
        ("will eth rise by friday?", "спасибо. а сколько сейчас эфир в евро"),
        ("will btc hit 100k by friday?", "where's eth at"),
        ("will btc hit 100k by friday?", "what's eth at"),
        ("l'eth va monter vendredi ?", "et où en est eth"),
        ("combien vaudra l'eth à noël ?", "et aujourd'hui c'est combien"),
    ],
)
def test_a_price_asked_after_a_question_is_of_its_asset(question, text):
    reading = read_text(text, CIRCUMSTANCES, after(question))
    assert (reading.intent, reading.asset) == ("price", "eth")


@pytest.mark.parametrize(
    ("text", "level", "side"),
    [
        ("make it 1950", 1950, "above"),
        ("mets plutôt 1850", 1850, "above"),
        ("y si baja de 1700 también", 1700, "below"),
        ("说错了,是1850", 1850, "above"),
        ("and at 2050 too", 2050, "above"),
        ("e anche se va sotto 1650", 1650, "below"),
        ("y a 2100 tambien", 2100, "above"),
        ("bi de 1950 ye çıkarsa", 1950, "above"),
        ("и если упадёт ниже 1700", 1700, "below"),
    ],
)
def test_another_level_after_an_alert_is_an_alert(text, level, side):
    context = ContextQuestion(read_any("eth price", CIRCUMSTANCES).question, is_alert=True)
    alert = read_text(text, CIRCUMSTANCES, context)
    assert (alert.intent, alert.asset, alert.level, alert.side) == ("alert", "eth", level, side)


@pytest.mark.parametrize(
    ("question", "text", "asset", "level", "level_pct", "side"),
    [
        ("bnb price", "tell me when it's 620", "bnb", 620, None, "above"),
        ("will eth rise by friday?", "tell me when it is above 2000", "eth", 2000, None, "above"),
        ("will btc be above 99k on friday?", "ping me if it does", "btc", 99_000, None, "above"),
        ("will eth stay above 1500 until friday?", "tell me if not", "eth", 1500, None, "below"),
        ("eth yüzde 5 düşer mi cumaya", "düşerse alarm kur", "eth", 1704.851, None, "below"),
        ("will xrp reach 2.5 by friday?", "ping me at 2.1", "xrp", 2.1, None, "below"),
        ("比特币12小时内会跌3%吗", "真跌了通知我", "btc", 91_253.623, None, "below"),
        ("will btc move more than 4% today?", "tell me when it moves", "btc", None, 4, None),
        ("will btc leave 90k to 99k by friday?", "tell me when it happens", "btc", None, None, None),
        ("eth price", "alert me when gold is up 5%", "gold", None, 5, "above"),
    ],
)
def test_an_alert_takes_the_event_of_the_question_before(question, text, asset, level, level_pct, side):
    """Where it names none: one level or one size; of a range it is not known which end is meant."""
    alert = read_text(text, CIRCUMSTANCES, after(question))
    assert (alert.intent, alert.asset, alert.level_pct, alert.side) == ("alert", asset, level_pct, side)
    assert alert.level == (None if level is None else pytest.approx(level))


@pytest.mark.parametrize("text", ["dollars i mean", "dollar sorry", "en dolares quise decir", "in euro", "в рублях"])
def test_another_currency_of_an_earlier_level_is_asked_for(text):
    """The question before is known by its level in USD."""
    with pytest.raises(InvalidQuestion, match="in USD only"):
        read_text(text, CIRCUMSTANCES, after("will btc be above 90000 euros at year end?"))


@pytest.mark.parametrize(
    "text",
    ["beide zusammen", "both together", "что раньше", "qual dos dois primeiro", "都不呢", "哪一个先", "was davon eher"],
)
def test_what_points_back_to_two_questions_is_refused_by_its_reason(text):
    with pytest.raises(InvalidQuestion, match="Only the last question is carried on"):
        read_text(text, CIRCUMSTANCES, after("will eth rise by friday?"))


@pytest.mark.parametrize(
    "text",
    [
        "i'm hungry",
        "hol mir die andere",
        "fammi la prossima",
        "给我看看别的",
        "na toll, da bin ich jetzt auch nicht schlauer",
        "fair enough lol you sound like my accountant",
        "哈哈你比我老公靠谱",
    ],
)
def test_a_follow_up_that_is_unclear_is_refused_as_one(text):
    """It names no market either. What is suggested keeps the asset, level and day of the earlier question."""
    with pytest.raises(NotAMarketQuestion, match="carries the earlier question on is unclear") as refusal:
        read_text(text, CIRCUMSTANCES, after("will eth reach 1950 by friday?"))
    assert refusal.value.suggestions[0] == "Will Ethereum trade at or above 1,950 USD at any time until 2026-11-27?"


@pytest.mark.parametrize(
    "text", ["how much is the record now", "quel est le record actuel", "y el récord actual cuál es"]
)
def test_an_earlier_record_is_a_fact(text):
    with pytest.raises(InvalidQuestion, match="asks for a fact"):
        read_text(text, CIRCUMSTANCES, after("will btc reach a new all-time high by friday?"))


@pytest.mark.parametrize("text", ["gold same thing", "sol de aynı", "lo mismo para xrp", "金も同じ", "серебро так же"])
def test_the_same_of_an_unknown_question_is_no_price(text):
    with pytest.raises(InvalidQuestion, match="earlier question is not known"):
        read_text(text, CIRCUMSTANCES)


def test_a_question_after_an_alert_is_no_alert():
    context = ContextQuestion(read_any("eth price", CIRCUMSTANCES).question, is_alert=True)
    for text in ("will it reach 1950?", "eth above 1950 by friday?"):
        assert read_text(text, CIRCUMSTANCES, context).intent == "question", text


@pytest.mark.parametrize(
    ("text", "question", "codes"),
    [
        ("how likely is that?", "trade at or below 1,700 USD at any time until 2026-11-28", ["deadline"]),
        ("bunun olma ihtimali ne", "trade at or below 1,700 USD at any time until 2026-11-28", ["deadline"]),
        ("10 gün içinde", "trade at or below 1,700 USD at any time until 2026-12-01", []),
        ("wie wahrscheinlich ist das bis nikolaus?", "at or below 1,700 USD at any time until 2026-12-06", []),
    ],
)
def test_how_likely_an_alert_is(text, question, codes):
    """The question is whether its level is reached; it names no deadline."""
    context = replace(after("will eth trade at or below 1700 at any time?"), is_alert=True)
    reading = read_text(text, CIRCUMSTANCES, context)
    assert reading.intent == "question"
    assert reading.meaning is not None
    assert question in reading.meaning.question.canonical
    assert [note.code for note in reading.meaning.question.notes if isinstance(note, Assumption)] == codes


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("how much are 2 btc in euros", 2 * 94_075.9 / 1.084),
        ("0.3个比特币值多少英镑", 0.3 * 94_075.9 / 1.268),
        ("eth price", 1794.58),
        ("eth kaç tl", None),
        ("price of sol and bnb", None),
    ],
)
def test_a_price_has_its_value_in_the_currency(text, value):
    """None without a rate and of several assets."""
    reading = read_text(text, CIRCUMSTANCES)
    assert reading.intent == "price"
    assert reading.value == (value if value is None else pytest.approx(value))


@pytest.mark.parametrize(
    ("text", "asset", "amount"),
    [
        ("how much is 3 oz of gold", "gold", 3),
        ("how much is 40 grams of gold worth right now", "gold", 40 / 31.1034768),
        ("5克黄金多少钱", "gold", 5 / 31.1034768),
        ("my boy has 0.3 btc, what is that in pounds", "btc", 0.3),
        ("e 20 sol quanto fanno in euro", "sol", 20),
        ("0.35 of it in euros", "eth", 0.35),
        ("2 tanesi kaç tl eder", "eth", 2),
        ("1000枚だと何円?", "eth", 1000),
        ("what are 50k xrp worth", "xrp", 50_000),
        ("5 тысяч xrp сколько в долларах", "xrp", 5_000),
    ],
)
def test_the_worth_of_an_amount_is_a_price(text, asset, amount):
    """A weight is one in troy ounces; without a name it is of the earlier asset, also after a question."""
    reading = read_text(text, CIRCUMSTANCES, after("will eth be above 1900 on friday?"))
    assert (reading.intent, reading.asset, reading.amount) == ("price", asset, pytest.approx(amount))


@pytest.mark.parametrize(
    ("text", "level", "side"),
    [
        ("tell me when btc drops below 90", 90_000, "below"),
        ("маякни если биток свалится под 90", 90_000, "below"),
        ("move my silver alert from 34 to 35", 35, "above"),
        ("move my btc 98k alert to 98.5", 98_500, "above"),
        ("avvertimi quando il btc scende sotto i 90k, grazie mille", 90_000, "below"),
    ],
)
def test_an_alert_has_the_level_that_is_meant(text, level, side):
    """In thousands where only that is near the price; where it is moved, the new one."""
    alert = read_text(text, CIRCUMSTANCES)
    assert (alert.intent, alert.level, alert.side) == ("alert", level, side)


@pytest.mark.parametrize(
    ("text", "asset", "usd", "currency"),
    [
        ("how much btc do i get for 1000 dollars", "btc", 1000, None),
        ("cuánto son 1500 euros en bitcoin ahora", "btc", 1500 * 1.084, "EUR"),
        ("what is 60,000 pounds in bitcoin", "btc", 60_000 * 1.268, "GBP"),
        ("wie viel eth bekomme ich für 500 euro", "eth", 500 * 1.084, "EUR"),
    ],
)
def test_what_money_buys_is_an_amount_of_the_asset(text, asset, usd, currency):
    """At the present price; its value is the money."""
    reading = read_text(text, CIRCUMSTANCES)
    assert (reading.intent, reading.asset, reading.currency) == ("price", asset, currency)
    assert reading.amount == pytest.approx(usd / SPOTS[asset], rel=1e-6)


@pytest.mark.parametrize("text", ["¿y qué btc 90000 dólares?", "how likely is btc 1000 dollars higher by friday"])
def test_a_level_in_dollars_buys_nothing(text):
    assert not _described(text).startswith("price ")


@pytest.mark.parametrize(
    ("text", "amount"), [("and half a coin?", 0.5), ("und 2,5 davon", 2.5), ("e 0,02 em reais?", 0.02)]
)
def test_after_a_price_a_number_is_an_amount(text, amount):
    context = ContextQuestion(read_any("eth price", CIRCUMSTANCES).question, is_price=True)
    assert read_text(text, CIRCUMSTANCES, context).amount == amount
    assert read_text("and 1900?", CIRCUMSTANCES, context).intent == "question", "near the price it is a level"
    assert read_text("and in 2027?", CIRCUMSTANCES, context).intent == "price_forecast"


@pytest.mark.parametrize(
    ("text", "asset", "amount", "currency"),
    [
        ("n in quid?", "eth", 2.5, "GBP"),
        ("en euros porfa", "eth", 2.5, "EUR"),
        ("et l'or ?", "gold", None, "EUR"),
        ("em libras por favor", "eth", 2.5, "GBP"),
        ("en livres s'il vous plaît", "eth", 2.5, "GBP"),
        ("and gold?", "gold", None, "EUR"),
        ("y 10 onzas de oro cuanto serian", "gold", 10, "EUR"),
        ("买三个要多少", "eth", 3, "EUR"),
        ("et 3 ça fait combien", "eth", 3, "EUR"),
        ("e 5 invece?", "eth", 5, "EUR"),
        ("n for 500 quid", "eth", 500 * 1.268 / 1794.58, "GBP"),
    ],
)
def test_a_price_carries_amount_and_currency_on(text, asset, amount, currency):
    """The currency until another is named, the amount where nothing else is."""
    earlier = read_any("eth price", CIRCUMSTANCES).question
    reading = read_text(text, CIRCUMSTANCES, ContextQuestion(earlier, is_price=True, amount=2.5, currency="EUR"))
    assert (reading.intent, reading.asset, reading.currency) == ("price", asset, currency)
    assert reading.amount == (amount and pytest.approx(amount))


@pytest.mark.parametrize(
    ("text", "intent", "asset"),
    [
        ("why is it falling anyway", "why", "eth"),
        ("warum fällt der gerade", "why", "eth"),
        ("why?", "why", None),
        ("should i buy it then", "advice", "eth"),
        ("why is vechain falling", "why", None),
    ],
)
def test_a_move_or_a_purchase_is_that_of_the_earlier_asset(text, intent, asset):
    """A mere "why" may mean the last answer."""
    reading = read_text(text, CIRCUMSTANCES, after("will eth reach 1950 by friday?"))
    assert (reading.intent, reading.asset) == (intent, asset)


def test_an_old_rate_gives_no_value():
    old = replace(CIRCUMSTANCES, rates={"EUR": Rate(1.084, "kraken", NOW - timedelta(days=8))})
    assert read_text("btc price in euros", old).value is None


@pytest.mark.parametrize("text", ["actually cancel that", "cancela eso", "取消吧"])
def test_what_is_cancelled_after_an_alert_is_the_alert(text):
    context = ContextQuestion(read_any("eth price", CIRCUMSTANCES).question, is_alert=True)
    assert read_text(text, CIRCUMSTANCES, context).intent == "cancel_alerts"


@pytest.mark.parametrize("text", ["und drunter", "y pasado?", "а плюс", "下面呢", "ビットだとどう"])
def test_a_follow_up_that_is_not_read_is_no_chatter(text):
    with suppress(InvalidRequest):
        assert read_text(text, CIRCUMSTANCES, after("will eth rise by friday?")).intent == "question"


@pytest.mark.slow
def test_a_hostile_text_is_read_or_refused():
    """Alone and after an earlier question; none makes the rules fail."""
    context = ContextQuestion(read_any("will eth outperform btc by friday?", CIRCUMSTANCES).question)
    for text in hostile_texts(300, seed=11):
        for earlier in (None, context):
            try:
                read_text(text, CIRCUMSTANCES, earlier)
            except UnreadQuestion:
                pytest.fail(text)
            except InvalidRequest:
                pass
