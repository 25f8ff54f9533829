"""What makes charts as wide as the place they stand in, from the first on and when that place changes.

plotly measures before JupyterLab has given the chart a place, and would keep its 700 pixels until the window changes.
"""

from __future__ import annotations

import anywidget

WIDE = """
// plotly waits 100 ms for the next change of width before it draws, and hears of none until it has drawn once.
const SOON_MS = 20, PAUSE_MS = 400, MOST = 20;

function render({ el }) {
  let waiting = null, left = 0;
  const fits = (chart) => Math.abs(chart.clientWidth - (chart._fullLayout?.width ?? 0)) < 2;
  const fit = () => {
    waiting = null;
    const charts = [...(el.closest(".widget-vbox")?.querySelectorAll(".js-plotly-plot") ?? [])];
    if (left-- <= 0 || charts.every(fits)) return;
    for (const { layout } of charts) delete layout?.width;  // plotly writes it there when a height changes
    window.dispatchEvent(new Event("resize"));
    waiting = setTimeout(fit, PAUSE_MS);
  };
  const begin = () => { left = MOST; waiting ??= setTimeout(fit, SOON_MS); };
  const drawn = new MutationObserver(begin);
  const placed = new ResizeObserver(() => {
    const box = el.closest(".widget-vbox");
    if (box) drawn.observe(box, { childList: true, subtree: true });
    begin();
  });
  placed.observe(el);
  return () => { clearTimeout(waiting); placed.disconnect(); drawn.disconnect(); };
}
export default { render };
"""


class Fitting(anywidget.AnyWidget):
    """Stands, without being seen, in the box whose charts it fits."""

    _esm = WIDE
