"""The pages: which panel each one shows, with which documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from notebooks.widgets import ApexPanel, BattlePanel, ForecastPanel, HospitalPanel, PredictionsPanel
from notebooks.widgets.base.refreshing_panel import RefreshingPanel
from service.client import ASSETS


class PublicPage(NamedTuple):
    """A page with the chart of one panel; `name` is the name of its files, `link` its name among those of a topic."""

    name: str
    link: str
    build: Callable[..., RefreshingPanel]


@dataclass(frozen=True)
class PageTopic:
    """Pages with the same heading, the first of which stands for all on the home page."""

    heading: str
    content: str
    pages: tuple[PublicPage, ...]


# What the panels show of documents that need no key. The ranking of the strategies, the open markets and questions to
# the oracle need one.
TOPICS = (
    PageTopic(
        "Battle",
        "Six lanes trade 10,000 USD each on paper: their gain, their drawdown and their status.",
        tuple(
            PublicPage(name, f"{days} days", partial(BattlePanel, days=days))
            for name, days in (("battle", 7), ("battle-30", 30))
        ),
    ),
    PageTopic(
        "Forecasts",
        "Where the price of an asset will be after an hour to 30 days, and how often such forecasts held.",
        tuple(PublicPage(f"forecast-{asset}", asset, partial(ForecastPanel, asset=asset)) for asset in ASSETS),
    ),
    PageTopic(
        "Accuracy",
        "The AI and the external market on the same resolved questions: which of them was closer.",
        (PublicPage("accuracy", "track record", PredictionsPanel),),
    ),
    PageTopic(
        "Hospital",
        "The health of each trading strategy at the end of the last month.",
        (PublicPage("hospital", "last month", HospitalPanel),),
    ),
    PageTopic(
        "Apex",
        "Eight layers fused into one forecast of bitcoin's next day, and a virtual fund that follows it.",
        (PublicPage("apex", "today", ApexPanel),),
    ),
)
