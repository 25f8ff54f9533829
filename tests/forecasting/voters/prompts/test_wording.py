"""A masked prompt holds no name, no price and no date by which a model could remember what came after."""

from __future__ import annotations

import re

import pytest

from service.forecasting.voters.forecast_inputs import build_inputs
from service.forecasting.voters.prompts import write
from service.forecasting.voters.prompts.wording import Wording
from service.market.assets import ASSETS
from service.questions.canonical import price
from tests.forecasting.made import EVERY_KIND, NOW
from tests.forecasting.voters.prompts.shown import NONCE, evidence, informed, news, resolved, story
from tests.forecasting.voters.prompts.test_writing import NAMES

TITLE = "Bitcoin falls to 61234 after the halving of April 2024"
NAMED = re.compile("|".join(rf"\b(?:{key}|{asset.name})\b" for key, asset in ASSETS.items()), re.IGNORECASE)
DATED = re.compile(r"\b(?:19|20)\d\d\b|UTC|USD|January|April|Monday")


@pytest.fixture
def shown(contexts, hourly):
    return evidence(hourly, contexts, news={"btc": news(story(TITLE))}, resolved=resolved(12, 5))


@pytest.mark.parametrize("seat", NAMES)
@pytest.mark.parametrize(("comparator", "fields"), EVERY_KIND)
@pytest.mark.parametrize("is_negated", [False, True])
def test_a_masked_prompt_names_nothing(seat, comparator, fields, is_negated, asking, knowledge, shown):
    question = asking(comparator, negated=is_negated, **fields)
    inputs = informed(build_inputs(question, NOW, knowledge), shown)
    prompt = write(seat, question, inputs, NONCE, is_masked=True)
    message = prompt.system + prompt.user
    assert "asset A" in message
    assert not NAMED.findall(message)
    assert not DATED.findall(message)
    for secret in (question.text, TITLE, price(question.spot), *map(price, question.levels)):
        assert secret not in message
    assert NAMED.findall(write(seat, question, inputs, NONCE).user), "the test can see a name"


@pytest.mark.parametrize(
    ("comparator", "fields", "sentence"),
    [
        ("close_above", {"at": 1.02}, "Will asset A be above 102 at 72.0 hours from now?"),
        ("touch_below", {"at": 0.9712}, "Will asset A trade at or below 97.12 at any time until 72.0 hours from now?"),
        ("between", {"at": 0.98, "upper_at": 1.03}, "Will asset A be between 98 and 103 at 72.0 hours from now?"),
        ("up", {}, "Will asset A be above its present price of 100 at 72.0 hours from now?"),
        ("relative", {"other_asset": "gold"}, "Will asset A return more than asset B until 72.0 hours from now?"),
    ],
)
def test_a_masked_question_has_an_index_and_relative_time(comparator, fields, sentence, asking, knowledge):
    question = asking(comparator, **fields)
    state = build_inputs(question, NOW, knowledge).state
    assert Wording(question, is_masked=True).sentence(state) == sentence
    assert Wording(question, is_masked=True).words(state) == sentence


def test_a_decided_question_stays_masked(asking, knowledge):
    question = asking("touch_above", at=0.9)
    message = write("trend", question, build_inputs(question, NOW, knowledge), NONCE, is_masked=True).user
    assert "- The level has already been reached.\n" in message


def test_masked_assets_are_letters_that_begin_with_the_question(asking):
    wording = Wording(asking("relative", "gold", other_asset="btc"), is_masked=True)
    assert [wording.asset(asset) for asset in ("gold", "btc", "eth", "silver")] == [
        *("asset A", "asset B", "asset C", "asset G"),
    ]


def test_the_pulse_is_left_and_headlines_are_not(asking, knowledge, shown):
    question = asking("up")
    inputs = informed(build_inputs(question, NOW, knowledge), shown)
    message = write("news", question, inputs, NONCE, is_masked=True).user
    assert "News score of asset A, from -1 (bearish) to 1 (bullish): +0.25 (3 stories of the last 24 h)\n" in message
    assert "Headlines are left out.\n" in message
