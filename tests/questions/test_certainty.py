"""A reading says whether it is sure or what it assumes, so that a program can decide whether to ask."""

from __future__ import annotations

import copy

import pytest

from service.errors import InvalidQuestion
from service.questions import Circumstances, read_any
from service.questions.alternatives import alternatives, assumptions
from service.questions.conversation import ContextQuestion
from service.questions.criterion import Assumption
from service.questions.parse import Parse
from tests.questions.asking import HISTORY, RATES, SPOTS
from tests.questions.test_cases import CASES
from tests.questions.test_conversation import CIRCUMSTANCES


def certainty_of(text: str, circumstances: Circumstances = CIRCUMSTANCES) -> tuple[str, ...]:
    """What the reading of a text assumes."""
    reading = read_any(text, circumstances)
    return assumptions(reading, alternatives(reading) if isinstance(reading, Parse) else ())


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Will bitcoin be above 100,000 USD on 2026-12-31?", ()),
        ("will btc hit 100k by friday?", ()),
        ("where will btc be on friday?", ()),
        ("will eth outperform btc this month?", ("start",)),
        ("will bitcoin rise?", ("deadline",)),
        ("will crypto rise by friday?", ("asset",)),
        ("will btc hit 100k by 11/12/2026?", ("deadline",)),
        ("will btc rise by October?", ("deadline",)),
        ("will btc be above 100k on October 1", ("year",)),
        ("will btc be above 100k on October 1 2027", ()),
        ("btc at 93k on friday", ("direction",)),
        ("will btc be above 100k by friday", ("moment",)),
        ("which is more likely by friday, btc at 90k or 99k", ("event",)),
        ("was ist bis freitag wahrscheinlicher, btc 90k oder 99k?", ("event",)),
        ("btc 90k or 99k first by friday", ()),
        ("will btc be up 5% for the month?", ("moment", "start")),
        ("will btc rise 5% this month", ("moment", "start")),
        ("is bitcoin gonna crash by friday", ("size",)),
        ("Wird Bitcoin bis Freitag abstürzen?", ("size",)),
        ("Le bitcoin va-t-il s'effondrer d'ici vendredi ?", ("size",)),
        ("¿Se desplomará bitcoin mañana?", ("size", "moment")),
        ("Il bitcoin crollerà domani?", ("size", "moment")),
        ("O bitcoin vai despencar amanhã?", ("size", "moment")),
        ("Обвалится ли биткоин завтра?", ("size", "moment")),
        ("bitcoin yarın çökecek mi?", ("size", "moment")),
        ("比特币明天会崩盘吗？", ("size", "moment")),
        ("ビットコインは明日暴落しますか？", ("size", "moment")),
        ("bitcoin after the election?", ("deadline", "event", "condition")),
        ("will btc stay within 2k of here this week", ()),
        ("will btc be in the 90k to 95k range this week", ("moment",)),
        ("what's the highest xrp might get by friday?", ("event",)),
        ("how low could silver go by friday", ("event",)),
        ("will btc rise by friday if the fed cuts", ("condition",)),
        ("will btc frobnicate above 100k on friday", ("words",)),
        ("eth less than 2k when the year ends", ()),
        ("wird eth unter 2000 liegen, wenn das jahr endet?", ()),
        ("l'eth sera sous 2000 quand l'année se termine ?", ()),
        ("¿estará eth por debajo de 2000 cuando termine el año?", ()),
        ("schaffts btc bis freitag auf 99k", ()),
        ("nee mir gehts um btc morgen über 99k", ()),
        ("va a caer sol a 135 estos días", ("deadline",)),
        ("will sol fall to 135 these days", ("deadline",)),
    ],
)
def test_a_reading_names_what_it_assumes(text, codes):
    assert certainty_of(text) == codes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("will btc go nowhere this week", "two levels"),
        ("tritt bitcoin diese woche auf der stelle?", "two levels"),
        ("le bitcoin va faire du surplace cette semaine ?", "two levels"),
        ("is btc the best performer this week", "best of all assets"),
        ("wird bitcoin diese woche der größte gewinner?", "best of all assets"),
        ("比特币本周会是表现最好吗？", "best of all assets"),
        ("will eth gain at least twice as much as btc this week", "multiple"),
        ("btc close at a weekly high on Friday", "not known yet"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_reason(text, words):
    """Each was read as another event once."""
    with pytest.raises(InvalidQuestion, match=words):
        read_any(text, CIRCUMSTANCES)


def test_a_move_this_month_may_count_from_its_begin():
    """The other reading has the level that is 5% above the price at which the month began."""
    parse = read_any("will btc rise 5% this month", CIRCUMSTANCES)
    assert isinstance(parse, Parse)
    (start, *_) = alternatives(parse)
    first_price = HISTORY.hourly("btc", CIRCUMSTANCES.now.replace(day=1, hour=0)).open[0]
    level = read_any(start.question, CIRCUMSTANCES).question.level
    assert level == pytest.approx(1.05 * first_price, rel=1e-4)


@pytest.mark.slow
def test_a_canonical_sentence_is_sure_and_a_choice_is_not():
    """Of every question in the tables; where there are alternatives something is assumed."""
    for case in CASES:
        circumstances = Circumstances(case.now, SPOTS, history=HISTORY, rates=RATES)
        if case.reading.startswith("refused"):
            continue
        reading = read_any(case.question, circumstances)
        choices = alternatives(reading) if isinstance(reading, Parse) else ()
        assert bool(assumptions(reading, choices)) >= bool(choices), case.question
        if isinstance(reading, Parse):
            assert certainty_of(reading.question.canonical, circumstances) == (), reading.question.canonical


def test_an_assumption_keeps_its_code_in_a_copy():
    assert copy.deepcopy(Assumption("Text.", "level")).code == "level"


@pytest.mark.parametrize(
    ("text", "codes"), [("which is likelier?", ("event",)), ("both?", ()), ("which rises more?", ())]
)
def test_which_of_two_questions_is_likelier_is_assumed(text, codes):
    """To be asked which returns more; the two percentages say it too."""
    first = read_any("will btc rise by friday?", CIRCUMSTANCES).question
    second = read_any("will eth rise by friday?", CIRCUMSTANCES).question
    reading = read_any(text, CIRCUMSTANCES, ContextQuestion(second, before=first))
    assert assumptions(reading, alternatives(reading)) == codes
