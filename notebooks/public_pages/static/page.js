// Draws the chart of a page in the reader's theme, and takes over what is new on the page while it is visible.
const RENEW_MS = 30000;
const dark = matchMedia("(prefers-color-scheme: dark)");
const parsed = new Promise((resolve) => addEventListener("DOMContentLoaded", resolve));  // plotly.js is loaded then
const chart = document.getElementById("chart");
const note = document.getElementById("note");
// The parts of the page that change, as the server sent them.
const parts = new Map();
for (const id of ["state", "more"]) {
  const part = document.getElementById(id);
  if (part) parts.set(id, part.innerHTML);
}
let figure = null, last = parsed;

const request = async (address) => {
  const response = await fetch(address, { cache: "no-cache" });
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return response;
};
const draw = () => {
  last = last.then(async () => {
    if (!figure || !chart.clientWidth) return;
    const { data, layout } = figure;
    await Plotly.react(chart, data, { ...fitted(layout, chart.clientWidth), uirevision: true }, CONFIG);
  }).catch(console.error);
};
const load = async () => {
  figure = await (await request(chart.dataset[dark.matches ? "dark" : "light"])).json();
  draw();
};
const takeOver = (page) => {
  for (const [id, before] of parts) {
    const part = document.getElementById(id), { innerHTML } = page.getElementById(id);
    if (before === innerHTML) continue;
    const isOpen = part.querySelector("details")?.open;
    part.innerHTML = innerHTML;
    parts.set(id, innerHTML);
    if (isOpen) part.querySelector("details").open = true;
  }
};
const renew = async () => {
  if (document.visibilityState !== "visible") return;
  try {
    const text = await (await request(location.href)).text();
    const page = new DOMParser().parseFromString(text, "text/html");
    const fresh = page.getElementById("chart");
    if (Boolean(fresh) !== Boolean(chart)) return location.reload();
    takeOver(page);
    if (chart && chart.dataset.version !== fresh.dataset.version) {
      chart.parentElement.ariaLabel = fresh.parentElement.ariaLabel;
      await load();
      chart.dataset.version = fresh.dataset.version;
    }
    note.textContent = "";
  } catch {
    note.textContent = "This page cannot reach its server. What it shows may be old.";
  }
};

if (chart) {
  load().catch(console.error);
  dark.addEventListener("change", () => load().catch(console.error));
  parsed.then(() => new ResizeObserver(draw).observe(chart.parentElement));
}
setInterval(renew, RENEW_MS);
document.addEventListener("visibilitychange", renew);
