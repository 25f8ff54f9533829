"""Keeps charts as wide as their container, from the first drawing on and whenever the container changes.

plotly measures a chart before JupyterLab has laid it out, and would keep 700 pixels until the window is resized.
"""

from __future__ import annotations

import anywidget

FIT = """
// plotly waits 100 ms for further changes of width before it draws, and ignores changes until its first drawing.
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


class ChartFitter(anywidget.AnyWidget):
    """An invisible widget that fits the charts of the box it is in."""

    _esm = FIT
