"""Every panel in every world: drawn, in the time of its document, never stale while the service goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import pandas as pd
import pytest

from notebooks import widgets
from notebooks.widgets.base.chart_panel import ChartPanel
from notebooks.widgets.base.wording import WORLDS, moment
from service.market.instants import utc
from tests.jobs.conftest import live_data, live_prices, outside_world  # noqa: F401  (two of them are fixtures)
from tests.notebooks.conftest import client_of
from tests.running_service import START, RunningService, copied, replaying, running_service

PANELS = [name for name in widgets.__all__ if name.endswith("Panel")]
STARTS = {"simulated": "seeded", "replay": "replayed_start", "live": "live_data"}


@pytest.fixture(scope="module", params=WORLDS)
def service(request, tmp_path_factory) -> Iterator[RunningService]:
    """The service in a world, after its first start."""
    fixture, world = request.getfixturevalue, request.param
    folder = copied(fixture(STARTS[world]), tmp_path_factory.mktemp(world))
    patch = live_prices() if world == "live" else nullcontext()
    if world == "replay":
        scope = replaying(fixture("shared_data"), folder)
    else:
        options = fixture("outside_world").options if world == "live" else {}
        scope = running_service(folder, START + 60, **options)
    with patch, scope as service:
        service.work()
        yield service


@pytest.fixture(params=PANELS)
def panel(request, service: RunningService) -> Iterator[ChartPanel]:
    """A panel that has drawn a document."""
    panel_class, clock = getattr(widgets, request.param), {"now": lambda: utc(service.wall)}
    with client_of(service) as client:
        panel = panel_class(client, refreshing=False, **clock)
        assert panel.wait_until_loaded()
        yield panel
        panel.close()


def test_a_panel_is_drawn_in_the_time_of_its_world(panel: ChartPanel, service: RunningService):
    """The curves of the lanes end at the document's instant, whatever the wall clock shows."""
    world = service.runtime.settings.world
    assert "alarm" not in panel.status_line.value, panel.status_line.value
    assert WORLDS[world] in f"{panel.status_line.value} {panel.figure.layout.title.subtitle.text}"
    assert "STALE" not in panel.status_line.value
    assert any(len(trace.x) for trace in panel.figure.data if trace.x is not None)
    if isinstance(panel, widgets.BattlePanel):
        first, last = panel.holding_trace.x[0], panel.holding_trace.x[-1]
        as_of = pd.Timestamp(moment(panel.header(panel.document)["as_of"])).tz_localize(None)
        assert as_of - pd.Timedelta(days=7, hours=1) <= first < last <= as_of
