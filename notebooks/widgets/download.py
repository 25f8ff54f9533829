"""A button that hands a file over to whoever looks, in JupyterLab and in Voila; nothing is left on the disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import anywidget
import traitlets

HANDED_OVER = """
function render({ model, el }) {
  const button = document.createElement("button");
  button.className = "jupyter-button";
  button.textContent = model.get("label");
  button.title = model.get("hint");
  button.onclick = () => model.send({ asked: true });
  model.on("msg:custom", ({ name, type }, buffers) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([buffers[0]], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  });
  el.append(button);
}
export default { render };
"""


class File(NamedTuple):
    """What is handed over: its name, its media type and its content."""

    name: str
    type: str
    content: str


class Download(anywidget.AnyWidget):
    """A button named `label`; `made` gives the file when it is pressed, or None while there is nothing to hand over."""

    _esm = HANDED_OVER
    label = traitlets.Unicode().tag(sync=True)
    hint = traitlets.Unicode().tag(sync=True)

    def __init__(self, label: str, hint: str, made: Callable[[], File | None]) -> None:
        super().__init__(label=label, hint=hint)
        self._made = made
        self.on_msg(self._asked)

    def _asked(self, _widget: Any, _message: Any, _buffers: Any) -> None:
        file = self._made()
        if file:
            self.send({"name": file.name, "type": file.type}, [file.content.encode()])
