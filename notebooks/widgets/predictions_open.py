"""The open prediction markets: the AI's probability against the market's, and all that is known of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from notebooks.widgets.figure import Figure
from notebooks.widgets.tables import Row, grid, table
from notebooks.widgets.theme import Look
from notebooks.widgets.wording import plain, world

Market = Mapping[str, Any]

# Colour by place in the palette and shape; what is not known has its own.
CATEGORIES = {
    "daily": (0, "circle"),
    "weekly": (1, "square"),
    "monthly": (2, "diamond"),
    "imported": (3, "triangle-up"),
    "challenge": (4, "star"),
}
UNKNOWN = (5, "x")
SMALLEST_PX, VOTE_PX = 9, 4
ANY = "all"


class OpenMarkets:
    """The traces of the open markets in a figure, on its fourth pair of axes; a click calls `picked` with an id."""

    def __init__(self, figure: Figure, picked: Callable[[str], None]) -> None:
        self._figure, self._picked = figure, picked
        line = {"mode": "lines", "showlegend": False, "hoverinfo": "skip", "line": {"dash": "dot", "width": 1}}
        self.even = figure.add_scatter(x=[0, 100], y=[0, 100], xaxis="x4", yaxis="y4", **line).data[-1]
        self.categories: dict[str, Any] = {}
        self.traces = [self.even]

    def draw(self, markets: Sequence[Market], look: Look) -> None:
        """Move the traces to `markets`; those that lack either probability are not drawn."""
        shown: dict[str, list[Market]] = {name: [] for name in self.categories}
        for market in drawn(markets):
            shown.setdefault(market["category"], []).append(market)
        for category, members in shown.items():
            self._trace_of(category).visible = bool(members)
            self._draw(category, members, look)

    def _draw(self, category: str, members: Sequence[Market], look: Look) -> None:
        place, symbol = CATEGORIES.get(category, UNKNOWN)
        self.categories[category].update(
            x=[100 * market["market_odds"]["p_yes"] for market in members],
            y=[100 * market["ai"]["p_yes"] for market in members],
            ids=[market["id"] for market in members],
            customdata=[_hover(market) for market in members],
            marker={
                "size": [SMALLEST_PX + VOTE_PX * market["user_votes"]["total"] ** 0.5 for market in members],
                "color": look.colour(place),
                "symbol": symbol,
                "line": {"color": look.paper, "width": 1},
            },
        )

    def _trace_of(self, category: str) -> Any:
        """The trace of a category, made when it is first seen."""
        if category not in self.categories:
            trace = self._figure.add_scatter(
                name=plain(category),
                mode="markers",
                xaxis="x4",
                yaxis="y4",
                hovertemplate="%{customdata}<extra></extra>",
            ).data[-1]
            trace.on_click(lambda trace, points, _state: [self._picked(trace.ids[at]) for at in points.point_inds[:1]])
            self.categories[category] = trace
            self.traces.append(trace)
        return self.categories[category]


def filtered(document: Mapping[str, Any], asset: str, category: str) -> list[Market]:
    """The markets of an asset and a category, or of any."""
    return [
        market
        for market in document["markets"]
        if asset in (ANY, market["asset"]) and category in (ANY, market["category"])
    ]


def drawn(markets: Sequence[Market]) -> list[Market]:
    """Those that have both probabilities."""
    return [market for market in markets if market["ai"] and market["market_odds"]]


def title(markets: Sequence[Market]) -> str:
    """Where the AI and the market are furthest apart."""
    both = drawn(markets)
    if not both:
        return "No open market has both probabilities"
    furthest = _furthest(both)
    ai, odds = _percent(furthest["ai"]["p_yes"]), _percent(furthest["market_odds"]["p_yes"])
    return f"At most {abs(furthest['divergence_pts']):.1f} points apart: AI {ai:.1f} %, market {odds:.1f} %"


def subtitle(document: Mapping[str, Any], markets: Sequence[Market]) -> str:
    """On which market they are, what kind of numbers these are, and of how many."""
    both = drawn(markets)
    simulated = sum(market["market_odds"]["simulated"] for market in both)
    backfilled = sum(market["backfilled"] for market in both)
    left_out = len(markets) - len(both)
    said = [
        plain(_short(_furthest(both)["question"])) if both else "",
        f"n {len(both):,} open markets",
        f"{simulated:,} with SIMULATED odds" if simulated else "",
        f"{backfilled:,} BACKFILLED" if backfilled else "",
        f"{left_out:,} without both probabilities not drawn" if left_out else "",
    ]
    kinds = f"PAPER · {world(document)} · times UTC · bigger: more votes of users · dotted: both agree"
    return f"{' · '.join(filter(None, said))}<br>{kinds}"


def facts(market: Market) -> str:
    """All that is known of one market, as HTML."""
    ai, odds, users = market["ai"] or {}, market["market_odds"] or {}, market["user_votes"]
    proof, simulated = market["commitment"], ", SIMULATED" if odds.get("simulated") else ""
    rows = [
        Row("AI", _percent(ai.get("p_yes")), " %"),
        Row(f"market ({odds.get('source', 'none asks this')}{simulated})", _percent(odds.get("p_yes")), " %"),
        Row("votes of users", f"{users['yes']} yes, {users['no']} no"),
        Row("deadline", f"{market['deadline'][:16].replace('T', ' ')} UTC"),
        Row("resolution", market["resolution"]["rule"]),
        Row("commitment", f"row {proof['seq']:,} of the ledger, hash {proof['hash']}" if proof else None),
        Row("made", "BACKFILLED: made for the past at the first start" if market["backfilled"] else "live"),
    ]
    votes = [
        (voter, _percent(vote["p_yes"]), vote["weight"], vote["engine"], vote["reasoning"])
        for voter, vote in market["ai_votes"].items()
    ]
    silent = [(voter, None, None, "abstained", reason) for voter, reason in market["abstained"].items()]
    columns = ("voter", "P(YES) %", "weight", "engine", "reasoning")
    return table(market["question"], rows) + grid("votes", columns, votes + silent)


def _furthest(both: Sequence[Market]) -> Market:
    return max(both, key=lambda market: abs(market["divergence_pts"]))


def _hover(market: Market) -> str:
    ai, odds = 100 * market["ai"]["p_yes"], 100 * market["market_odds"]["p_yes"]
    unknown = "" if market["category"] in CATEGORIES else f"<br>category {plain(market['category'])}"
    return f"{plain(market['question'])}<br>AI {ai:.1f} %, market {odds:.1f} %{unknown}"


def _percent(p: float | None) -> float | None:
    return None if p is None else 100 * p


def _short(text: str, longest: int = 56) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
