"""The leaderboard panel: which strategies beat the ghosts, and the equity of one strategy."""

from __future__ import annotations

import threading
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import pytest

from notebooks.widgets import LeaderboardPanel
from notebooks.widgets.base.theme import PALETTES, palette_of
from notebooks.widgets.base.wording import number, unbroken
from notebooks.widgets.leaderboard import panel as it
from notebooks.widgets.leaderboard.panel import best_by_luck, ranked, usual_range, verdict, whiskers, years_of
from service.trading.strategies import STRATEGIES
from tests.notebooks.conftest import click
from tests.processes import PATIENCE_S

METRICS = {"gain": "pnl_pct", "Sharpe ratio": "sharpe"}
METRICS |= {"maximum drawdown": "max_drawdown_pct", "win rate": "win_rate_pct"}


@pytest.fixture
def panel(open_panel, stub) -> LeaderboardPanel:
    return open_panel(LeaderboardPanel, stub)


def entries(panel: LeaderboardPanel) -> list[dict]:
    return panel.document["board"]["entries"]


def ghosts(panel: LeaderboardPanel) -> list[dict]:
    return panel.document["board"]["ghosts"]


def names(panel: LeaderboardPanel) -> list[str]:
    """The labels on the left from the top down, without bold."""
    return [text.replace("<b>", "").replace("</b>", "") for text in panel.figure.layout.yaxis.ticktext]


def labels(panel: LeaderboardPanel) -> list[str]:
    return [annotation.text for annotation in panel.figure.layout.annotations]


def ranks(panel: LeaderboardPanel) -> list[int]:
    return [texts[0] for texts in panel.bars.customdata]


def count_boards(stub) -> int:
    return [call[0] for call in stub.calls].count("leaderboard")


def pick(panel: LeaderboardPanel, place: int) -> None:
    """Click on a bar and wait until the thread of the panel has drawn the strategy."""
    redraw = threading.Event()
    panel.detail.observe(lambda _change: redraw.set(), "value")
    click(panel.bars, place)
    assert redraw.wait(PATIENCE_S)
    with panel._lock:  # the thread holds it until the drawing is complete
        panel.detail.unobserve_all("value")


def test_the_best_fifteen_are_drawn_by_rank(panel):
    """The title counts who beats buy and hold; the subtitle says paper, n and luck."""
    best = entries(panel)[:15]
    assert [entry["rank"] for entry in best] == list(range(1, 16))
    assert list(panel.bars.x) == [entry["pnl_pct"] for entry in best]
    assert names(panel) == [f"{entry['name']}  {entry['rank']}" for entry in best]
    assert list(panel.figure.layout.yaxis2.ticktext) == [f"{number(entry['pnl_pct'], '+.1f')}%" for entry in best]
    benchmark = next(ghost["pnl_pct"] for ghost in ghosts(panel) if ghost["key"] == "buy_and_hold")
    better = sum(entry["pnl_pct"] > benchmark for entry in entries(panel))
    verb, title = "beats" if better == 1 else "beat", panel.figure.layout.title
    assert title.text == f"{better} of {len(STRATEGIES)} {verb} buy and hold ({number(benchmark, '+.1f')}%) by gain"
    for text in ("PAPER · SIMULATED market", "all assets", f"n = {len(STRATEGIES)}", "UTC", "looks good by luck alone"):
        assert text in title.subtitle.text


@pytest.mark.parametrize(("part", "count"), [("bottom 15", 15), ("all strategies", len(STRATEGIES))])
def test_the_worst_or_all_strategies_can_be_shown(panel, part, count):
    panel.part.value = part
    assert ranks(panel) == list(range(len(STRATEGIES) - count + 1, len(STRATEGIES) + 1))
    assert len(panel.bars.x) == count
    assert part in panel.figure.layout.title.subtitle.text


@pytest.mark.parametrize(("label", "metric"), METRICS.items())
def test_another_metric_ranks_and_draws_by_it(panel, label, metric):
    panel.metric.value = panel.metric.options[label]
    panel.part.value = "all strategies"
    expected = [entry[metric] for entry in entries(panel) if entry[metric] is not None]
    values = [value for value in panel.bars.x if value is not None]
    assert values == sorted(expected, reverse=metric != "max_drawdown_pct")
    assert panel.figure.layout.title.text.endswith(f" by {label}")


@pytest.mark.parametrize("metric", METRICS.values())
def test_the_ghosts_are_lines_across_all_rows(panel, metric):
    """Each has a label with its name and value."""
    panel.metric.value = metric
    visible_ghosts = [ghost for ghost in ghosts(panel) if ghost[metric] is not None]
    assert visible_ghosts
    lines = [x for ghost in visible_ghosts for x in (ghost[metric], ghost[metric], None)]
    assert list(panel.figure.data[1].x)[: len(lines)] == lines
    assert all(any(text.startswith(f"{ghost['name']} ") for text in labels(panel)) for ghost in visible_ghosts)


def test_a_sharpe_ratio_is_drawn_beside_luck(panel):
    """Each bar has an interval, 95% of coin flippers are behind it, their best is a line; elsewhere nothing is."""
    panel.metric.value = "sharpe"
    strategy = panel.document["strategy"]
    years = (pd.Timestamp(strategy["as_of"]) - pd.Timestamp(strategy["started_at"])) / pd.Timedelta(days=365)
    (shape,) = panel.figure.layout.shapes
    assert (shape.x0, shape.x1) == pytest.approx((-1.96 / years**0.5, 1.96 / years**0.5), rel=1e-3)
    assert panel.figure.data[1].x[-2] == pytest.approx(best_by_luck(len(STRATEGIES), years), rel=1e-3)
    assert any(text.startswith(f"Best of {len(STRATEGIES)} coin flippers ") for text in labels(panel))
    assert min(panel.bars.error_x.array) >= shape.x1
    assert "Grey: 95% of coin flippers." in panel.figure.layout.title.subtitle.text
    panel.metric.value = "pnl_pct"
    assert not panel.bars.error_x.visible
    assert not panel.figure.layout.shapes
    assert "Grey" not in panel.figure.layout.title.subtitle.text


def test_a_refresh_states_its_cost_and_is_charged_once(panel, stub):
    """The board uses one of the key's daily calls; the usage and a strategy are free."""
    left = stub.client.usage()["quota"]["remaining"]
    assert f"each refresh uses one of the key&#x27;s daily calls, {left} left" in panel.status_line.value
    panel.refresh()
    assert stub.client.usage()["quota"]["remaining"] == left - 1
    assert panel.interval.value == 900


def test_the_leader_is_drawn_below_at_first(panel, stub):
    """Without ghosts the title names it."""
    strategy = panel.document["strategy"]
    assert strategy["key"] == entries(panel)[0]["key"]
    assert list(panel.figure.data[2].y) == [point["equity_usd"] for point in strategy["equity"]]
    assert list(panel.figure.data[3].y) == [point["benchmark_usd"] for point in strategy["equity"]]
    assert pd.Timestamp(panel.figure.data[2].x[-1], tz="UTC") == pd.Timestamp(strategy["equity"][-1]["time"])
    assert panel.figure.layout.yaxis.ticktext[0].startswith("<b>")
    stub.changes["leaderboard"] = lambda board: {**board, "ghosts": []}
    panel.refresh()
    assert panel.figure.layout.title.text == f"{entries(panel)[0]['name']} leads by gain"


def test_a_click_draws_a_strategy_free_of_charge(panel, stub):
    """With its rule, source and track record; it stays after a refresh, which is charged."""
    expected = entries(panel)[3]
    pick(panel, 3)
    assert panel.document["strategy"]["key"] == expected["key"]
    equity = [point["equity_usd"] for point in stub.client.strategy(expected["key"])["equity"]]
    assert list(panel.figure.data[2].y) == equity
    assert f"<b>{expected['name']}</b>" in "".join(labels(panel))
    assert count_boards(stub) == 1
    strategy = panel.document["strategy"]
    for text in (strategy["description"], strategy["source"], *strategy["parameters"], "profit factor", "fees"):
        assert escape(text) in panel.detail.value
    assert f"{strategy['statistics']['fees_usd']:,.2f} USD" in panel.detail.value
    panel.refresh()
    assert panel.document["strategy"]["key"] == expected["key"]
    assert count_boards(stub) == 2


def test_a_double_click_is_free_of_charge_too(panel, stub):
    """The second click arrives when the strategy is already drawn."""
    for _ in range(2):
        panel.selection, panel._only_strategy = entries(panel)[3]["key"], True
        panel.refresh()
    assert count_boards(stub) == 1


def test_one_asset_alone_is_requested(panel, stub):
    """The service knows every asset that is offered; the facts have it beside all assets."""
    assert " only" not in panel.detail.value
    panel.asset.value = "btc"
    panel.refresh()
    assert ("leaderboard", "btc") in stub.calls
    assert panel.document["board"]["asset"] == "btc"
    assert ranks(panel) == list(range(1, 16))
    assert "btc only" in panel.figure.layout.title.subtitle.text
    panel.asset.value = "gold"
    panel.refresh()
    row = next(row for row in panel.document["board"]["entries"] if row["key"] == panel.document["strategy"]["key"])
    assert "gold only" in panel.detail.value
    assert f"{number(row['pnl_pct'], '+.1f')}%" in panel.detail.value
    for asset in panel.asset.options.values():
        panel.asset.value = asset
        panel.refresh()
        assert (panel.fault, panel.document["board"]["asset"]) == (None, asset or None)


def test_a_strategy_without_trades_has_a_dash_at_the_end(panel, stub):
    def idle(board):
        board["entries"][0] |= {"win_rate_pct": None, "trades": 0}
        return board

    stub.changes["leaderboard"] = idle
    panel.refresh()
    panel.metric.value = "win_rate_pct"
    panel.part.value = "all strategies"
    assert panel.bars.x[-1] is None
    assert panel.figure.layout.yaxis2.ticktext[-1] == "–"


def test_strange_texts_of_the_document_are_escaped(panel, stub):
    """Each category has a colour; an unknown one stands out."""

    def evil_board(document):
        document["entries"][0]["name"] = "<img src=y>"
        document["entries"][1]["category"] = "<astrology>"
        document["ghosts"][0]["name"] = "<u>hold"
        return document

    evil_texts = {"name": "<img src=x>", "description": "<i>rule"}
    stub.changes |= {"strategy": lambda document: document | evil_texts, "leaderboard": evil_board}
    panel.refresh()
    colours = dict(zip([texts[2] for texts in panel.bars.customdata], panel.bars.marker.color, strict=True))
    assert colours["&lt;astrology&gt;"] == PALETTES["light"].alarm
    entries_of_legend = {category: colour for category, colour in colours.items() if category in it.CATEGORIES}
    assert len(set(entries_of_legend.values())) == len(entries_of_legend)
    assert unbroken("★ &lt;astrology&gt;") in labels(panel)[0]
    texts = " ".join([*labels(panel)[1:], *names(panel), panel.figure.layout.title.text, panel.detail.value])
    assert not [tag for tag in ("<img", "<u>", "<i>") if tag in texts]


def test_the_interval_shrinks_with_the_root_of_time():
    """1.96 after a year and 0.98 after four; a whisker is half of the interval, and a missing ratio has none."""
    for years, half in ((1.0, 1.96), (4.0, 0.98)):
        shape = usual_range(years, palette_of("dark"))
        assert (-shape["x0"], shape["x1"]) == pytest.approx((half, half), abs=1e-4)
    strategy = {"started_at": "2026-01-01T00:00:00Z", "as_of": "2026-03-15T00:00:00Z"}  # 73 days
    assert years_of(strategy) == pytest.approx(0.2)
    assert years_of({**strategy, "as_of": strategy["started_at"]}) == pytest.approx(1 / 365)
    rows = [{"sharpe": 1.0, "sharpe_low": -0.5, "sharpe_high": 2.5}, {"sharpe": None, "sharpe_high": None}]
    assert whiskers(rows, palette_of("dark"))["array"] == [1.5, 0.0]


def test_the_best_of_many_grows_with_their_number():
    """Half of all coin flippers are below 0, and half of all better ones of two below 0.5449."""
    assert best_by_luck(1, 1.0) == pytest.approx(0.0, abs=1e-9)
    assert best_by_luck(2, 1.0) == pytest.approx(0.5450, abs=1e-3)
    random = np.random.default_rng(7)
    best = []
    for _ in range(2_000):
        heads = random.binomial(365, 0.5, 50)
        mean = (2 * heads - 365) / 365
        best.append((mean / np.sqrt(1 - mean**2) * 365**0.5).max())
    assert np.median(best) == pytest.approx(best_by_luck(50, 1.0), abs=0.06)


def entry(name: str, rank: int | None, **metrics: Any) -> dict[str, Any]:
    return {"key": name, "name": name, "rank": rank, "category": "trend", **metrics}


ENTRIES = [entry("a", 1, sharpe=None), entry("b", 2, sharpe=0.5), entry("c", 3, sharpe=-1.0), entry("d", 4, sharpe=0.5)]


def test_entries_without_the_metric_come_last():
    """Equal values keep the order of the ranks, and unknown categories theirs, so that legends stay."""
    assert [row["name"] for row in ranked(ENTRIES, "sharpe")] == ["b", "d", "c", "a"]
    assert [it.formatted(value, "pnl_pct") for value in (3.21, None)] == ["+3.2%", "–"]
    names = ("zeta", "volume", "alpha", "relative")
    colours = it.category_colours([{"category": name} for name in names], PALETTES["light"])
    assert list(colours) == ["volume", "relative", "zeta", "alpha"]
    assert colours["zeta"] == colours["alpha"] == PALETTES["light"].alarm


@pytest.mark.parametrize(
    ("count", "value", "expected"),
    [
        (4, 0.0, "2 of 4 beat buy_and_hold (0.00) by Sharpe ratio"),
        (4, 0.4, "2 of 4 beat buy_and_hold (0.40) by Sharpe ratio"),
        (4, 0.5, "0 of 4 beat buy_and_hold (0.50) by Sharpe ratio"),
        (2, 0.0, "1 of 2 beats buy_and_hold (0.00) by Sharpe ratio"),
    ],
)
def test_an_equal_value_does_not_beat_the_yardstick(count, value, expected):
    board = {"entries": ENTRIES[:count], "ghosts": [entry("buy_and_hold", None, sharpe=value)]}
    assert verdict(board, "sharpe") == expected
