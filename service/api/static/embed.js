// <script async src="https://…/embed.js" data-asset="btc" data-theme="auto"></script> shows the frame in its place.
(() => {
  "use strict";
  const script = document.currentScript, { asset = "btc", theme = "auto" } = script.dataset;
  const address = new URL("/embed", script.src), frame = document.createElement("iframe");
  address.search = new URLSearchParams({ asset, theme });
  frame.src = address;
  frame.title = `Ninefold: ${asset.toUpperCase()}`;
  frame.loading = "lazy";
  frame.style.cssText = "display:block;width:100%;max-width:440px;height:250px;border:0;border-radius:12px;" +
    `color-scheme:${theme === "auto" ? "light dark" : theme}`;
  addEventListener("message", event => {
    if (event.source === frame.contentWindow && event.data && event.data.ninefold > 0)
      frame.style.height = `${Math.min(600, event.data.ninefold)}px`;
  });
  script.after(frame);
})();
