"""What a panel learns from the page that shows it: whether it is on a screen, and the theme around it."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

WATCH = """
const PLACED_MS = 100;

function render({ model, el }) {
  el.style.display = "none";
  const view = Math.random().toString(36).slice(2);
  let intersects = false, sent = null, waiting = null;
  const isDark = ({ dataset, classList }) => dataset.jpThemeLight === "false" || classList.contains("vscode-dark");
  const report = (isLeaving) => {
    const is_shown = !isLeaving && intersects && document.visibilityState === "visible";
    const message = { view, is_shown, theme: isDark(document.body) ? "dark" : "light" };
    if (JSON.stringify(message) === sent) return;
    sent = JSON.stringify(message);
    model.send(message);
  };
  const look = () => report(false), leave = () => report(true);
  const placed = new IntersectionObserver((entries) => {
    intersects = entries.at(-1).isIntersecting;
    look();
  });
  const themed = new MutationObserver(look);
  // A view is drawn before it is placed on its page.
  const begin = () => {
    const box = el.closest(".widget-vbox");
    if (box) placed.observe(box);
    else waiting = setTimeout(begin, PLACED_MS);
  };
  begin();
  themed.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "class"] });
  document.addEventListener("visibilitychange", look);
  window.addEventListener("pagehide", leave);
  return () => {
    clearTimeout(waiting);
    placed.disconnect();
    themed.disconnect();
    document.removeEventListener("visibilitychange", look);
    window.removeEventListener("pagehide", leave);
    leave();
  };
}
export default { render };
"""


class HostPage(anywidget.AnyWidget):
    """An invisible widget that observes the page of the box it is in.

    `is_shown` says whether any view of the box is on a screen: a hidden tab, a notebook in the background and a box
    scrolled away are not. It is true until a browser reports, because a program may use a panel without one. `theme` is
    light or dark, as JupyterLab and VS Code say it; None until a browser reports.
    """

    _esm = WATCH
    is_shown = traitlets.Bool(True)
    theme = traitlets.Unicode(None, allow_none=True)

    def __init__(self) -> None:
        super().__init__()
        self._views: dict[str, bool] = {}
        self.on_msg(self._on_report)

    def _on_report(self, _widget: Any, report: dict[str, Any], _buffers: Any) -> None:
        self._views[report["view"]] = report["is_shown"]
        self.is_shown = any(self._views.values())
        self.theme = report["theme"]
