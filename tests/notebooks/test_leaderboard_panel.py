"""The leaderboard panel: which strategies beat buying and holding, and how one of them came where it is."""

from __future__ import annotations

import io
import threading
from html import escape
from types import SimpleNamespace

import httpx
import pandas as pd
import pytest

from notebooks.widgets import LeaderboardPanel
from notebooks.widgets.ranking import CATEGORIES
from notebooks.widgets.theme import LOOKS
from service.client import Client, ConnectionFailed

METRICS = {
    "gain": "pnl_pct",
    "Sharpe ratio": "sharpe",
    "deepest fall": "max_drawdown_pct",
    "trades won": "win_rate_pct",
}

PATIENCE_S = 10


@pytest.fixture
def panel(shown, between) -> LeaderboardPanel:
    return shown(LeaderboardPanel, between)


def bars(panel: LeaderboardPanel):
    return panel.figure.data[0]


def entries(panel: LeaderboardPanel) -> list[dict]:
    return panel.document["board"]["entries"]


def names(panel: LeaderboardPanel) -> list[str]:
    """What stands beside the bars, from the top down, without what makes it bold."""
    return [text.replace("<b>", "").replace("</b>", "") for text in panel.figure.layout.yaxis.ticktext]


def labels(panel: LeaderboardPanel) -> list[str]:
    return [one.text for one in panel.figure.layout.annotations]


def board_calls(between) -> list[tuple]:
    return [call for call in between.asked if call[0] == "leaderboard"]


def test_the_best_fifteen_are_drawn_as_the_service_ranks_them(panel):
    told = entries(panel)[:15]
    assert [entry["rank"] for entry in told] == list(range(1, 16))
    assert list(bars(panel).x) == [entry["pnl_pct"] for entry in told]
    assert names(panel) == [f"{entry['name']}  {entry['rank']}" for entry in told]
    assert list(panel.figure.layout.yaxis2.ticktext) == [f"{entry['pnl_pct']:+.1f} %" for entry in told]


def test_a_browser_is_given_what_is_drawn(panel):
    assert list(panel.figure._widget_data[0]["x"]) == list(bars(panel).x)


@pytest.mark.parametrize(("part", "ranks"), [("bottom 15", range(40, 55)), ("all", range(1, 55))])
def test_the_worst_or_all_of_them_can_be_seen(panel, part, ranks):
    panel.part.value = part
    assert [one[0] for one in bars(panel).customdata] == list(ranks)
    assert len(bars(panel).x) == len(ranks)
    assert part in panel.figure.layout.title.subtitle.text


def test_more_rows_make_the_chart_higher_and_no_row_lower(panel):
    def row_px() -> float:
        layout = panel.figure.layout
        inner = layout.height - layout.margin.t - layout.margin.b
        return inner * (layout.yaxis.domain[1] - layout.yaxis.domain[0]) / len(bars(panel).x)

    before = row_px()
    panel.part.value = "all"
    assert row_px() == pytest.approx(before)


@pytest.mark.parametrize(("label", "metric"), METRICS.items())
def test_another_metric_ranks_and_draws_by_that(panel, label, metric):
    panel.metric.value = panel.metric.options[label]
    panel.part.value = "all"
    told = [entry[metric] for entry in entries(panel) if entry[metric] is not None]
    drawn = [value for value in bars(panel).x if value is not None]
    assert drawn == sorted(told, reverse=metric != "max_drawdown_pct")
    assert panel.figure.layout.title.text.endswith(f" by {label}")


@pytest.mark.parametrize("metric", METRICS.values())
def test_the_ghosts_are_lines_across_all_rows_with_their_names_and_values(panel, metric):
    panel.metric.value = metric
    told = [ghost for ghost in panel.document["board"]["ghosts"] if ghost[metric] is not None]
    assert told
    assert list(panel.figure.data[1].x) == [x for ghost in told for x in (ghost[metric], ghost[metric], None)]
    assert all(any(text.startswith(f"{ghost['name']} ") for text in labels(panel)) for ghost in told)


def test_the_title_counts_who_beats_buying_and_holding(panel):
    held = next(ghost["pnl_pct"] for ghost in panel.document["board"]["ghosts"] if ghost["key"] == "buy_and_hold")
    better = sum(entry["pnl_pct"] > held for entry in entries(panel))
    verb = "beats" if better == 1 else "beat"
    assert panel.figure.layout.title.text == f"{better} of 54 {verb} buy and hold ({held:+.1f} %) by gain"


def test_a_shallower_fall_than_that_of_holding_is_better(panel):
    panel.metric.value = "max_drawdown_pct"
    ghosts = {ghost["key"]: ghost["max_drawdown_pct"] for ghost in panel.document["board"]["ghosts"]}
    better = sum(entry["max_drawdown_pct"] < ghosts["buy_and_hold"] for entry in entries(panel))
    assert panel.figure.layout.title.text.startswith(f"{better} of 54 ")


def test_the_share_of_wins_is_measured_by_the_coin_as_holding_has_no_trades(panel):
    panel.metric.value = "win_rate_pct"
    assert "coin flip" in panel.figure.layout.title.text


def test_it_says_that_it_is_paper_how_many_there_are_and_what_luck_does(panel):
    text = panel.figure.layout.title.subtitle.text
    for word in ("PAPER · SIMULATED market", "over all assets", "n = 54", "UTC", "looks good by luck alone"):
        assert word in text


def test_without_any_ghost_the_title_names_the_leader(panel, between):
    between.changes["leaderboard"] = lambda board: {**board, "ghosts": []}
    panel.look_again()
    assert panel.figure.layout.title.text == f"{entries(panel)[0]['name']} leads by gain"


def test_a_look_says_what_it_costs_and_costs_that(panel, between):
    """A look is one call of the key's day: the board's. What is left of the day and a strategy are free."""
    left = between.client.usage()["quota"]["remaining"]
    assert f"each look costs one of the key&#x27;s calls today, {left} left" in panel.state.value
    panel.look_again()
    assert between.client.usage()["quota"]["remaining"] == left - 1
    assert panel.interval.value == 900


def test_the_leader_is_drawn_below_until_somebody_chooses(panel):
    strategy = panel.document["strategy"]
    assert strategy["key"] == entries(panel)[0]["key"]
    assert list(panel.figure.data[2].y) == [point["equity_usd"] for point in strategy["equity"]]
    assert list(panel.figure.data[3].y) == [point["benchmark_usd"] for point in strategy["equity"]]
    assert pd.Timestamp(panel.figure.data[2].x[-1]) == pd.Timestamp(strategy["equity"][-1]["time"])
    assert panel.figure.layout.yaxis.ticktext[0].startswith("<b>")


def click(panel: LeaderboardPanel, place: int) -> None:
    """Click on a bar and wait until the panel's thread has drawn what was asked for."""
    drawn = threading.Event()
    panel.detail.observe(lambda _change: drawn.set(), "value")
    panel._clicked(None, SimpleNamespace(point_inds=[place]), None)
    assert drawn.wait(PATIENCE_S)
    with panel._lock:  # it is drawn when the thread lets go
        panel.detail.unobserve_all("value")


def test_a_click_draws_that_strategy_and_costs_no_call(panel, between):
    told = entries(panel)[3]
    click(panel, 3)
    assert panel.document["strategy"]["key"] == told["key"]
    expected = [point["equity_usd"] for point in between.client.strategy(told["key"])["equity"]]
    assert list(panel.figure.data[2].y) == expected
    assert f"<b>{told['name']}</b>" in "".join(labels(panel))
    assert len(board_calls(between)) == 1


def test_a_double_click_costs_no_call_either(panel, between):
    """The second click comes when the strategy of the first is drawn already."""
    for _ in range(2):
        panel.picked, panel._only_strategy = entries(panel)[3]["key"], True
        panel.look_again()
    assert len(board_calls(between)) == 1


def test_a_click_tells_rule_source_parameters_and_record(panel):
    click(panel, 3)
    strategy = panel.document["strategy"]
    for word in (strategy["description"], strategy["source"], *strategy["parameters"], "profit factor", "fees"):
        assert escape(word) in panel.detail.value
    assert f"{strategy['statistics']['fees_usd']:,.2f} USD" in panel.detail.value


def test_what_was_chosen_stays_when_the_board_is_looked_at_again(panel, between):
    key = entries(panel)[3]["key"]
    click(panel, 3)
    panel.look_again()
    assert panel.document["strategy"]["key"] == key
    assert len(board_calls(between)) == 2


def test_one_asset_alone_is_fetched(panel, between):
    panel.asset.value = "btc"
    panel.look_again()
    assert ("leaderboard", "btc") in between.asked
    assert panel.document["board"]["asset"] == "btc"
    assert [one[0] for one in bars(panel).customdata] == list(range(1, 16))
    assert "in btc alone" in panel.figure.layout.title.subtitle.text


def test_every_asset_that_is_offered_is_answered(panel):
    for asset in panel.asset.options.values():
        panel.asset.value = asset
        panel.look_again()
        assert (panel.fault, panel.document["board"]["asset"]) == (None, asset or None)


def test_a_new_document_moves_the_same_traces(panel, between):
    before = panel.figure.data

    def richer(board):
        board["entries"][0]["pnl_pct"] = 1234.5
        return board

    between.changes["leaderboard"] = richer
    panel.look_again()
    assert panel.figure.data == before
    assert bars(panel).x[0] == 1234.5


def test_an_error_keeps_the_last_good_chart(panel, between):
    drawn = list(bars(panel).x)
    between.fault = ConnectionFailed("No connection.")
    panel.look_again()
    assert list(bars(panel).x) == drawn
    assert "No new data since 2026-11-21 08:00 UTC" in panel.state.value
    between.fault = None
    panel.look_again()
    assert "No new data" not in panel.state.value


def test_without_a_key_it_says_how_to_get_one_and_where_to_put_it(shown, residents):
    transport = httpx.WSGITransport(residents.house.application(), remote_addr="10.9.9.9")
    with Client("http://ninefold", transport=transport) as client:
        panel = shown(LeaderboardPanel, client)
        assert "Nothing to show yet" in panel.state.value
        assert "POST /api/v1/register" in panel.state.value
        assert "Set ORACLE_KEY" in panel.state.value


def test_a_strategy_without_trades_has_a_dash_and_comes_last(panel, between):
    def idle(board):
        board["entries"][0] |= {"win_rate_pct": None, "trades": 0}
        return board

    between.changes["leaderboard"] = idle
    panel.look_again()
    panel.metric.value = "win_rate_pct"
    panel.part.value = "all"
    assert bars(panel).x[-1] is None
    assert panel.figure.layout.yaxis2.ticktext[-1] == "–"


def test_each_category_has_a_colour_and_one_that_is_not_known_stands_out(panel, between):
    def strange(board):
        board["entries"][1]["category"] = "<astrology>"
        return board

    between.changes["leaderboard"] = strange
    panel.look_again()
    colours = dict(zip((one[2] for one in bars(panel).customdata), bars(panel).marker.color, strict=True))
    assert colours["&lt;astrology&gt;"] == LOOKS["light"].alarm
    known = {category: colour for category, colour in colours.items() if category in CATEGORIES}
    assert len(set(known.values())) == len(known)
    assert "★ &lt;astrology&gt;" in labels(panel)[0]


def test_words_from_outside_are_no_html(panel, between):
    def evil(document):
        return {**document, "name": "<img src=x>", "description": "<i>rule"}

    def board(document):
        document["entries"][0]["name"] = "<img src=y>"
        document["ghosts"][0]["name"] = "<u>hold"
        return document

    between.changes |= {"strategy": evil, "leaderboard": board}
    panel.look_again()
    shown = [*labels(panel)[1:], *names(panel), panel.figure.layout.title.text, panel.detail.value]
    for text in shown:
        assert not any(tag in text for tag in ("<img", "<u>", "<i>"))


def test_the_table_holds_the_numbers_of_the_response(panel):
    table = pd.read_csv(io.StringIO(panel.table().content), index_col="key")
    told = [*entries(panel), *panel.document["board"]["ghosts"]]
    assert list(table["pnl_pct"]) == [one["pnl_pct"] for one in told]
    assert list(table["ghost"]) == ["rank" in one and one["rank"] is None for one in told]


def test_the_page_of_its_own_shows_the_same_chart(panel):
    assert panel.figure.layout.title.text in panel.page().content


def test_it_can_be_dark(panel):
    panel.theme.value = "dark"
    assert set(bars(panel).marker.color) <= {*LOOKS["dark"].colours, LOOKS["dark"].quiet}
    assert panel.figure.data[1].line.color == LOOKS["dark"].ink


def test_closing_ends_the_thread(panel):
    panel.close()
    assert not panel._thread.is_alive()
