"""A button that downloads a file from the kernel, in a notebook; nothing is written to the disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import anywidget
import traitlets

BUTTON = """
function render({ model, el }) {
  const button = document.createElement("button");
  button.className = "jupyter-button";
  button.textContent = model.get("label");
  button.title = model.get("hint");
  button.onclick = () => model.send({ pressed: true });
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


class DownloadFile(NamedTuple):
    """A file to download: its name, media type and content."""

    name: str
    type: str
    content: str


class DownloadButton(anywidget.AnyWidget):
    """A button with a `label`; a press calls `build`, which returns None while there is nothing to download."""

    _esm = BUTTON
    label = traitlets.Unicode().tag(sync=True)
    hint = traitlets.Unicode().tag(sync=True)

    def __init__(self, label: str, hint: str, build: Callable[[], DownloadFile | None]) -> None:
        super().__init__(label=label, hint=hint)
        self._build = build
        self.on_msg(self._on_press)

    def _on_press(self, _widget: Any, _message: Any, _buffers: Any) -> None:
        file = self._build()
        if file:
            self.send({"name": file.name, "type": file.type}, [file.content.encode()])
