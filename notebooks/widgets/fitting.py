"""What makes charts as wide as the place they stand in, from the first on and when that place changes.

plotly measures before JupyterLab has given the chart a place, and would keep its 700 pixels until the window changes.
"""

from __future__ import annotations

import anywidget

WIDE = """
const PAUSE_MS = 100, MOST = 50;  // a chart hears of a new width only once it is ready

function render({ el }) {
  let waiting;
  const fits = (chart) => Math.abs(chart.clientWidth - (chart._fullLayout?.width ?? 0)) < 2;
  const fit = (left) => {
    clearTimeout(waiting);
    const charts = [...(el.closest(".widget-vbox")?.querySelectorAll(".js-plotly-plot") ?? [])];
    if (left === 0 || charts.every(fits)) return;
    for (const { layout } of charts) delete layout?.width;  // plotly writes it there when a height changes
    window.dispatchEvent(new Event("resize"));
    waiting = setTimeout(fit, PAUSE_MS, left - 1);
  };
  const drawn = new MutationObserver(() => fit(MOST));
  const placed = new ResizeObserver(() => {
    const box = el.closest(".widget-vbox");
    if (box) drawn.observe(box, { childList: true, subtree: true });
    fit(MOST);
  });
  placed.observe(el);
  return () => { clearTimeout(waiting); placed.disconnect(); drawn.disconnect(); };
}
export default { render };
"""


class Fitting(anywidget.AnyWidget):
    """Stands, without being seen, in the box whose charts it fits."""

    _esm = WIDE
