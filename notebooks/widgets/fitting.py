"""What makes charts as wide as the place they stand in, from the first on and when that place changes.

plotly measures before JupyterLab has given the chart a place, and would keep its 700 pixels until the window changes.
"""

from __future__ import annotations

import anywidget

WIDE = """
function render({ el }) {
  let waiting;
  const fits = (chart) => Math.abs(chart.clientWidth - (chart._fullLayout?.width ?? chart.clientWidth)) < 2;
  const fit = () => {
    const charts = [...(el.closest(".widget-vbox")?.querySelectorAll(".js-plotly-plot") ?? [])];
    if (!charts.every(fits)) window.dispatchEvent(new Event("resize"));
  };
  const soon = () => { clearTimeout(waiting); waiting = setTimeout(fit, 50); };
  const drawn = new MutationObserver(soon);
  const placed = new ResizeObserver(() => {
    const box = el.closest(".widget-vbox");
    if (box) drawn.observe(box, { childList: true, subtree: true });
    soon();
  });
  placed.observe(el);
  return () => { placed.disconnect(); drawn.disconnect(); };
}
export default { render };
"""


class Fitting(anywidget.AnyWidget):
    """Stands, without being seen, in the box whose charts it fits."""

    _esm = WIDE
