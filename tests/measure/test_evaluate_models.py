"""The evaluation of language models: masked questions of the past, scored against the base rate."""

from __future__ import annotations

import re

import numpy as np
import pytest

from service.config import Settings
from service.market.assets import ASSETS
from service.market.instants import DAY
from service.questions.criterion import price
from service.sources.llm.seating import ModelSeat
from tests.forecasting.made import FIRST, made_bars
from tests.measure.evaluate_models import Case, ask_all, configured, evaluate, past_cases, show
from tests.sources.llm.model_server import answers, refuses, serving, vote_text

DAYS = 110
SINCE = FIRST + 80 * DAY
COUNT = 12
NAMES = re.compile("|".join(rf"\b(?:{key}|{asset.name})\b" for key, asset in ASSETS.items()), re.IGNORECASE)


@pytest.fixture(scope="module")
def hourly():
    return {asset: made_bars(asset, DAYS, seed) for seed, asset in enumerate(("btc", "eth"))}


@pytest.fixture(scope="module")
def cases(hourly) -> list[Case]:
    return past_cases(hourly, SINCE, COUNT, np.random.default_rng(1))


@pytest.fixture
def server():
    with serving() as server:
        yield server


def settings(server, *seats: str) -> Settings:
    return Settings(oracle_seats={seat: {"model": "openai:gpt-5-mini", "base_url": server.address} for seat in seats})


@pytest.fixture
def seats(server, tmp_path) -> list[ModelSeat]:
    return configured(settings(server, "momentum", "news"), tmp_path)


def test_the_questions_are_spread_and_resolved(cases):
    """None is decided after the last bar, and each is shown what was stored when it was opened."""
    assert len(cases) == COUNT
    assert len({case.inputs.state.now for case in cases}) > COUNT / 2
    for case in cases:
        now = case.inputs.state.now
        assert SINCE <= now < case.decided_at <= FIRST + DAYS * DAY
        assert max(bars.as_of for bars in case.inputs.evidence.hourly.values()) <= now
        assert all(story.published_at <= now for news in case.inputs.evidence.news.values() for story in news.stories)
    assert cases[-1].inputs.evidence.past_questions


def test_a_score_by_hand(seats, server, cases):
    """A model that always says 62%: .3844 where the answer is no and .1444 where it is yes; 940 tokens an answer."""
    for score in ask_all(seats, cases):
        expected = np.mean([0.38**2 if case.happened else 0.62**2 for case in cases])
        base = np.mean([(case.base - case.happened) ** 2 for case in cases])
        assert (score.n, score.missing) == (COUNT, 0)
        assert score.brier == pytest.approx(expected)
        assert score.against_base.mean == pytest.approx(expected - base)
        low, high = score.against_base.interval()
        assert low <= score.against_base.mean <= high
        assert score.tokens == 940 * COUNT
        assert score.usd == pytest.approx(COUNT * (900 * 0.25 + 40 * 2.0) / 1e6)


def test_no_model_learns_of_which_past_it_is_asked(seats, server, cases):
    """No name, no date, no price and no headline in any of the prompts."""
    ask_all(seats, cases)
    texts = ["\n".join(message["content"] for message in body["messages"]) for body in server.requests]
    assert len(texts) == 2 * COUNT
    for text in texts:
        assert not NAMES.findall(text)
        assert not re.findall(r"\b20\d\d\b|UTC|USD|simulated desk", text)
        assert not [case for case in cases if f" {price(case.question.spot)} " in text]


def test_a_model_without_answers_has_no_score(seats, server, cases, capsys):
    server.behaviours = [refuses(401)]
    (score, _) = ask_all(seats, cases)
    assert (score.n, score.missing, score.tokens) == (0, COUNT, 0)
    show([score])
    assert f"    0   {COUNT}     nan" in capsys.readouterr().out


def test_the_table_shows_score_interval_and_cost(seats, server, cases, capsys):
    server.behaviours = [answers(vote_text(), usage=None)]
    show(ask_all(seats, cases))
    title, *rows = capsys.readouterr().out.splitlines()
    assert re.match(r"seat +model +n none +Brier +base +against the base rate +against the embedded engine", title)
    assert [row.split()[:4] for row in rows] == [
        [seat, "openai:gpt-5-mini", str(COUNT), "0"] for seat in ("momentum", "news")
    ]
    assert all(re.search(r"[-+]0\.\d{4} \[[-+]0\.\d{4}, [-+]0\.\d{4}\] +unknown +unknown$", row) for row in rows)


def test_without_a_model_it_says_what_to_set(tmp_path, capsys):
    assert evaluate(tmp_path, COUNT, Settings()) == 1
    assert "ORACLE_MODEL" in capsys.readouterr().out
