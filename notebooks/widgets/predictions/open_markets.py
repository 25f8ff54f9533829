"""The open prediction markets: the probability of the AI against that of the market, and the facts of one market."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import plotly.graph_objects as go

from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.html_tables import Fact, grid, table
from notebooks.widgets.base.theme import Palette
from notebooks.widgets.base.wording import BACKFILLED, Document, escaped, minute, percent, shortened, world

# Index of the colour and symbol; an unknown category has its own.
CATEGORIES = {
    "daily": (0, "circle"),
    "weekly": (1, "square"),
    "monthly": (2, "diamond"),
    "imported": (3, "triangle-up"),
    "challenge": (4, "star"),
}
UNKNOWN = (5, "x")
SMALLEST_PX, VOTE_PX = 9, 4
LONGEST = 56  # characters of a question above the chart
NO_FILTER = ""  # in the place of an asset or a category


class OpenMarketTraces:
    """The traces of the open markets in a figure, on its fourth pair of axes; a click calls `pick` with an id."""

    def __init__(self, figure: Figure, pick: Callable[[str], None]) -> None:
        self._figure, self._pick = figure, pick
        line = {"mode": "lines", "showlegend": False, "hoverinfo": "skip", "line": {"dash": "dot", "width": 1}}
        self.diagonal = figure.new_scatter(x=[0, 100], y=[0, 100], xaxis="x4", yaxis="y4", **line)
        self.categories: dict[str, go.Scatter] = {}

    def draw(self, markets: Sequence[Document], palette: Palette) -> None:
        """Update the traces to `markets`; a market without both probabilities is not drawn."""
        groups: dict[str, list[Document]] = {name: [] for name in self.categories}
        for market in comparable(markets):
            groups.setdefault(market["category"], []).append(market)
        for category, members in groups.items():
            self._draw_category(category, members, palette)

    def _draw_category(self, category: str, markets: Sequence[Document], palette: Palette) -> None:
        index, symbol = CATEGORIES.get(category, UNKNOWN)
        self._trace_of(category).update(
            visible=bool(markets),
            x=[100 * market["market_odds"]["p_yes"] for market in markets],
            y=[100 * market["ai"]["p_yes"] for market in markets],
            ids=[market["id"] for market in markets],
            customdata=[_hover(market) for market in markets],
            marker={
                "size": [SMALLEST_PX + VOTE_PX * market["user_votes"]["total"] ** 0.5 for market in markets],
                "color": palette.colour(index),
                "symbol": symbol,
                "line": {"color": palette.paper, "width": 1},
            },
        )

    def _trace_of(self, category: str) -> go.Scatter:
        """The trace of a category, added to the figure when it is first drawn."""
        if category not in self.categories:
            trace = self._figure.new_scatter(
                name=escaped(category),
                mode="markers",
                xaxis="x4",
                yaxis="y4",
                hovertemplate="%{customdata}<extra></extra>",
            )
            self._figure.on_pick(trace, self._pick)
            self.categories[category] = trace
        return self.categories[category]


def filtered(document: Document, asset: str, category: str) -> list[Document]:
    """The markets of an asset and a category; `NO_FILTER` selects all."""
    return [
        market
        for market in document["markets"]
        if asset in (NO_FILTER, market["asset"]) and category in (NO_FILTER, market["category"])
    ]


def comparable(markets: Sequence[Document]) -> list[Document]:
    """The markets with both probabilities."""
    return [market for market in markets if market["ai"] and market["market_odds"]]


def title(markets: Sequence[Document]) -> str:
    """The largest difference between the AI and the market."""
    pairs = comparable(markets)
    if not pairs:
        return "No open market has both probabilities"
    furthest = _furthest(pairs)
    ai, odds = 100 * furthest["ai"]["p_yes"], 100 * furthest["market_odds"]["p_yes"]
    return f"Largest difference {abs(furthest['divergence_pts']):.1f} pp: AI {ai:.1f}%, market {odds:.1f}%"


def subtitle(document: Document, markets: Sequence[Document]) -> str:
    """The market with the largest difference, the number of markets, and the kind of the numbers."""
    pairs = comparable(markets)
    simulated = sum(market["market_odds"]["simulated"] for market in pairs)
    backfilled = sum(market["backfilled"] for market in pairs)
    left_out = len(markets) - len(pairs)
    parts = [
        escaped(shortened(_furthest(pairs)["question"], LONGEST)) if pairs else "",
        f"n {len(pairs):,} open markets",
        f"{simulated:,} with SIMULATED odds" if simulated else "",
        f"{backfilled:,} BACKFILLED" if backfilled else "",
        f"{left_out:,} not drawn: a probability is missing" if left_out else "",
    ]
    legend = f"PAPER · {world(document)} · times UTC · size: user votes · dotted: both agree"
    return f"{' · '.join(filter(None, parts))}<br>{legend}"


def facts(market: Document) -> str:
    """The probabilities, the rule and the votes of a market, as HTML."""
    ai, odds, users = market["ai"] or {}, market["market_odds"] or {}, market["user_votes"]
    commitment, simulated = market["commitment"], ", SIMULATED" if odds.get("simulated") else ""
    rows = [
        Fact("AI", percent(ai.get("p_yes")), "%"),
        Fact(f"market ({odds.get('source', 'no external market')}{simulated})", percent(odds.get("p_yes")), "%"),
        Fact("user votes", f"{users['yes']} yes, {users['no']} no"),
        Fact("deadline", minute(market["deadline"])),
        Fact("resolution", market["resolution"]["rule"]),
        Fact(
            "commitment",
            f"row {commitment['seq']:,} of the ledger, hash {commitment['hash']}" if commitment else None,
        ),
        Fact("origin", BACKFILLED if market["backfilled"] else "live"),
    ]
    votes = [
        (voter, percent(vote["p_yes"]), vote["weight"], vote["engine"], vote["reasoning"])
        for voter, vote in market["ai_votes"].items()
    ]
    abstentions = [(voter, None, None, "abstained", reason) for voter, reason in market["abstained"].items()]
    columns = ("voter", "P(YES), %", "weight", "engine", "reasoning")
    return table(market["question"], rows) + grid("votes", columns, votes + abstentions)


def _furthest(markets: Sequence[Document]) -> Document:
    return max(markets, key=lambda market: abs(market["divergence_pts"]))


def _hover(market: Document) -> str:
    ai, odds = 100 * market["ai"]["p_yes"], 100 * market["market_odds"]["p_yes"]
    unknown = "" if market["category"] in CATEGORIES else f"<br>category {escaped(market['category'])}"
    return f"{escaped(market['question'])}<br>AI {ai:.1f}%, market {odds:.1f}%{unknown}"
