// The pages, each drawn from public documents, and what keeps them current.
import { calibration, fan, lines } from "/home/charts.js";
import { questionBox } from "/home/ask.js";
import { LANGUAGES, backfilled, change, choose, day, h, language, minute, number, odds, percent, points, price, saved, side, t } from "/home/text.js";

const ASSETS = ["btc", "eth", "sol", "bnb", "xrp", "gold", "silver"];
const EVERY_MS = 60000, PAUSE_MS = 4000, RETRY_MS = 5000, DAY_MS = 86400000;
const WORLDS = { simulated: "Simulated market: all prices are generated.", replay: "Replay of past prices.", live: "Live prices of exchanges." };
const EVENTS = ["market.opened", "market.resolved"];
const at = id => document.getElementById(id);

const SHARED_MS = 2000, requests = new Map();

// Parts of a page that need the same document at the same time share one request.
function get(path) {
  if (!requests.has(path)) {
    requests.set(path, request(path));
    setTimeout(() => requests.delete(path), SHARED_MS);
  }
  return requests.get(path);
}

async function request(path) {
  // no-cache asks with the ETag of the copy that the browser has; an unchanged document is an empty 304.
  const response = await fetch(path, { cache: "no-cache", credentials: "omit" });
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => ({}));
  throw new Error(problem.detail || t("The service does not answer."));
}

const heading = (level, text, lead) => [h("h" + level, {}, text), lead && h("p", { class: "lead" }, lead)];
const paper = () => h("span", { class: "tag" }, t("paper"));
const interval = (value, low, high, show) => `${show(value)} (${show(low)} – ${show(high)})`;
const score = value => number(value, 3);

function table(columns, rows) {
  const isNumber = index => columns[index].startsWith("#");
  const names = columns.map(name => name.replace("#", ""));
  const cell = (tag, index, content) => h(tag, { class: isNumber(index) && "number", scope: tag === "th" && "col" }, content ?? "–");
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": names.join(", ") }, h("table", {},
    h("thead", {}, h("tr", {}, names.map((name, index) => cell("th", index, name)))),
    h("tbody", {}, rows.map(row => h("tr", {}, row.map((content, index) => cell("td", index, content)))))));
}

// A part of a page: it is drawn when its documents arrive, and drawn again where they have changed.
function part(read, show) {
  const place = h("div", {}, h("p", { class: "small" }, t("Loading …")));
  let last = "", timer = 0;
  place.refresh = async () => {
    clearTimeout(timer);
    try {
      const documents = await read(), text = JSON.stringify(documents);
      if (text !== last) place.replaceChildren(...[show(documents)].flat(3).filter(Boolean));
      last = text;
    } catch (fault) {
      if (!last) place.replaceChildren(h("p", { class: "small" }, t("Not available yet: {reason}", { reason: fault.message })));
      if (place.isConnected) timer = setTimeout(place.refresh, RETRY_MS);
    }
  };
  place.refresh();
  return place;
}

// Closes of past hours do not change; those of the next hour have another address.
const closes = new Map();
function candles(asset, days, until) {
  const since = new Date(Math.floor(Date.parse(until) / 3600000) * 3600000 - days * DAY_MS).toISOString().slice(0, 19) + "Z";
  const path = `/api/v1/candles?asset=${asset}&interval=1h&since=${since}&limit=2000`;
  if (!closes.has(path)) closes.set(path, get(path).then(page => page.bars, () => { closes.delete(path); return [] }));
  return closes.get(path);
}

async function readPrices() {
  const prices = await get("/api/v1/prices");
  const isStale = Date.now() > Date.parse(prices.stale_after) && prices.world !== "replay";
  at("world").textContent = `${t(WORLDS[prices.world])} ${t("Prices of {time}.", { time: minute(prices.as_of) })}` +
    (isStale ? ` ${t("No new prices since then.")}` : "");
  at("world").toggleAttribute("data-fault", isStale);
  return prices;
}

const range = ({ quantiles }) => (quantiles[5] < quantiles[95] ? `${price(quantiles[5])} – ${price(quantiles[95])}` : t("market closed"));

// The card of an asset; it leaves the page in a world that does not have it.
function assetCard(asset) {
  const content = part(async () => {
    const row = (await readPrices()).prices.find(price => price.asset === asset);
    return row ? [row, await get(`/api/v1/forecasts/${asset}`), await candles(asset, 3, row.as_of)] : [];
  }, ([row, forecast, bars]) => {
    if (!row) return card.remove();
    const [next, week] = ["24h", "7d"].map(name => forecast.horizons.find(horizon => horizon.horizon === name));
    return [h("div", { class: "pair" }, h("h3", {}, row.name), row.market_open ? null : h("span", { class: "tag" }, t("market closed"))),
      h("p", { class: "pair" }, h("span", { class: "number big" }, price(row.price)),
        h("span", { class: `number ${side(row.change_24h_pct)}` }, change(row.change_24h_pct, 2))),
      fan(row.name, bars, forecast),
      h("p", { class: "pair small" }, h("span", {}, t("in 24 hours")), h("span", { class: "number" }, range(next))),
      h("p", { class: "pair small" }, h("span", {}, t("in 7 days")), h("span", { class: "number" }, range(week)))];
  });
  const card = h("a", { class: "card", href: `#/forecasts/${asset}` }, content);
  return card;
}

const assets = () => h("div", { class: "grid" }, ASSETS.map(assetCard));

// The difference of what is shown: 38% and 42% differ by 4.
const shown = p => (Math.min(p, 1 - p) < 0.01 ? 100 * p : Math.round(100 * p));

const marketTable = (markets, count) => table(
  [t("Question"), t("Until"), `#${t("Our odds")}`, `#${t("Their odds")}`, `#${t("Difference")}`],
  markets.slice(0, count).map(market => {
    const [ours, theirs] = [market.ai_now || market.ai, market.odds_now || market.market_odds].map(view => view ? view.p_yes : null);
    const isPast = market.backfilled && market.ai_now === null;
    return [isPast ? [market.question, " ", backfilled()] : market.question, minute(market.deadline), odds(ours),
      theirs === null ? "–" : [odds(theirs), market.market_odds.simulated ? h("small", {}, ` ${t("simulated")}`) : ""],
      ours === null || theirs === null ? "–" : h("span", { class: side(ours - theirs) }, points(shown(ours) - shown(theirs)))];
  }));

const openMarkets = () => part(() => get("/api/v1/markets"), ({ markets }) => {
  if (!markets.length) return h("p", { class: "small" }, t("No market is open."));
  const place = h("div", {}, marketTable(markets, 8));
  const more = h("button", { type: "button", onclick: () => { place.replaceChildren(marketTable(markets)); more.remove() } },
    t("All {count} markets", { count: markets.length }));
  return [place, markets.length > 8 && more];
});

const STATUS = { waiting: "waiting", in_market: "in the market", in_lp: "provides liquidity", harvesting: "collects fees" };

function battleConclusion({ lanes }) {
  const ahead = lanes.filter(lane => lane.benchmark_pnl_pct !== null && lane.pnl_pct > lane.benchmark_pnl_pct).length;
  return t("Ahead of buying and holding what they trade: {ahead} of {count} lanes.", { ahead, count: lanes.length });
}

const laneTable = ({ lanes }) => table(
  [t("Lane"), t("Status"), `#${t("Result")}`, `#${t("Buy and hold")}`, `#${t("Difference")}`, `#${t("Trades")}`, `#${t("Won")}`],
  lanes.map(lane => [t(lane.label), t(STATUS[lane.status] || lane.status), h("span", { class: side(lane.pnl_pct) }, change(lane.pnl_pct)),
    change(lane.benchmark_pnl_pct), points(lane.benchmark_pnl_pct === null ? null : lane.pnl_pct - lane.benchmark_pnl_pct, 1),
    number(lane.trades), percent(lane.win_rate_pct)]));

const battleSpan = document => t("Since {day}; what was before {live} is backfilled.", { day: day(document.started_at), live: day(document.live_since) });

const battle = () => part(() => get("/api/v1/bot-battle"), document => [h("p", {}, battleConclusion(document), " ", paper()), laneTable(document),
  h("p", { class: "small" }, battleSpan(document))]);

// Live where there is enough, else the markets of the past.
const bookOf = books => books.find(book => !book.backfilled && book.n >= 30) || books.find(book => book.backfilled && book.n) || null;

const sides = (...scores) => [
  [t("Right side"), ...scores.map(row => interval(row.accuracy_pct, row.accuracy_low_pct, row.accuracy_high_pct, value => percent(value)))],
  [t("Always the more common side"), ...scores.map(row => percent(row.likelier_side_pct))]];

function recordRows(book) {
  const { ai, market, difference } = book;
  return table([t("Measure"), `#${t("The nine voters")}`, `#${t("The outside market")}`], [
    ...sides(ai, market),
    [t("Brier score, lower is better"), interval(ai.brier, ai.brier_low, ai.brier_high, score), interval(market.brier, market.brier_low, market.brier_high, score)],
    [t("Skill against base rates"), interval(ai.skill, ai.skill_low, ai.skill_high, score), interval(market.skill, market.skill_low, market.skill_high, score)],
    ...(difference ? [[t("Difference of the Brier scores"), interval(difference.mean, difference.low, difference.high, score), ""]] : []),
  ]);
}

const VERDICTS = { "the market is better": "The outside market was closer than the nine voters.", "the AI is better": "The nine voters were closer than the outside market.",
  "no clear difference yet": "Between the nine voters and the outside market there is no clear difference yet.", "not enough resolved markets": "Too few markets are resolved for a comparison.",
  "no outside market": "No outside market had odds for a resolved market yet." };

// Where no outside market has odds for a resolved market, the voters stand alone.
const record = () => part(() => Promise.all([get("/api/predictions/ai-vs-market"), get("/api/streaks")]), ([{ books }, { streaks }]) => {
  const book = bookOf(books), alone = bookOf(streaks.filter(row => row.voter === "consensus"));
  if (!book && !alone) return h("p", {}, t("No market is resolved yet."));
  const { verdict, backfilled: isPast, n, simulated } = book || { ...alone, verdict: "no outside market" };
  return [h("p", {}, t(VERDICTS[verdict] || verdict), " ", t("{count} resolved markets.", { count: number(n) }), " ", isPast && backfilled(), " ",
    simulated > 0 && h("span", { class: "tag" }, t("simulated odds"))), book ? recordRows(book) : table([t("Measure"), `#${t("The nine voters")}`], sides(alone)),
    h("p", { class: "small" }, t("In brackets: the interval that holds with 95% probability."))];
});

const proof = () => part(async () => [await get("/api/v1/ledger/head"), (await get("/api/v1/ledger/roots?limit=1")).roots[0]], ([head, root]) => [
  head.seq && h("p", {}, t("{count} rows hold every question, vote and outcome; each row holds the hash of the row before it.", { count: number(head.seq, 9) })),
  root && h("p", { class: "small" }, t("Signed root of {day}:", { day: day(root.day) }), " ", h("code", {}, root.root)),
  h("p", { class: "small" }, h("a", { href: "/docs/record#markets-challenges-and-the-ledger" }, t("How to verify it")))]);

async function example() {
  const { markets } = await get("/api/v1/markets");
  const market = markets.find(row => row.asset === "btc" && row.ai) || markets[0];
  return market && get(`/api/v1/predictions/${market.id}`);
}

const home = () => [
  h("h1", {}, t("Nine voters, one answer, every vote public")),
  h("p", { class: "lead" }, t("Ask about crypto, gold or silver. Nine models give a probability each; the answer is their weighted consensus.")),
  questionBox(example()),
  heading(2, t("Where prices will be"), t("The dark band holds half of the outcomes, the light one 9 of 10.")), assets(),
  heading(2, t("Open markets"), t("Our probability of YES beside that of an outside market.")), openMarkets(),
  heading(2, t("Six lanes of paper trading"), t("Each began with 10,000 USD. Nothing is traded for real.")), battle(),
  heading(2, t("How good is it?")), record(),
  heading(2, t("A record that cannot be rewritten")), proof(),
];

const ASSET_DAYS = 14, LONGEST_H = 720;
const forecasts = asset => asset ? [h("p", {}, ...ASSETS.map(code => [h("a", { href: `#/forecasts/${code}`, "aria-current": code === asset && "true" }, code.toUpperCase()), " "]).flat()),
  part(async () => {
    readPrices();
    const forecast = await get(`/api/v1/forecasts/${asset}`);
    return [forecast, await candles(asset, ASSET_DAYS, forecast.price_as_of)];
  }, ([forecast, bars]) => {
    const far = forecast.horizons[forecast.horizons.length - 1];
    return [...heading(1, forecast.name, t("In 9 of 10 cases between {low} and {high} USD on {day}; now {now} USD.",
      { low: price(far.quantiles[5]), high: price(far.quantiles[95]), day: day(far.until), now: price(forecast.price) })),
      fan(forecast.name, bars, forecast, { height: 360, legend: true, hours: LONGEST_H }),
      table([t("Until"), "#5%", "#25%", "#50%", "#75%", "#95%", `#${t("Typical move")}`], forecast.horizons.map(row =>
        [minute(row.until), ...[5, 25, 50, 75, 95].map(level => price(row.quantiles[level])), percent(row.sigma_pct, 1)]))];
  }),
  heading(2, t("Did earlier forecasts hold?")), part(() => get("/api/v1/forecasts/record"), ({ books }) => {
    const book = books.find(row => !row.backfilled && row.horizons.some(horizon => horizon.assets[asset].crps_ratio !== null)) || books.find(row => row.backfilled);
    return [book.backfilled && h("p", {}, backfilled()), table([t("Horizon"), `#${t("Forecasts")}`, `#${t("Held by the 90% range")}`, `#${t("Error against plain volatility")}`],
      book.horizons.filter(row => row.assets[asset].n).map(({ horizon, assets: { [asset]: row } }) => [horizon, number(row.n),
        row.coverage_pct ? percent(row.coverage_pct["90"]) : "–", row.crps_ratio === null ? "–" : interval(row.crps_ratio, row.low, row.high, score)])),
      h("p", { class: "small" }, t("An error below 1 is better than plain volatility. Hours of one path depend on each other; the intervals count that."))];
  })] : [heading(1, t("Where prices will be"), t("The dark band holds half of the outcomes, the light one 9 of 10.")), assets()];

const lanes = () => [part(() => get("/api/v1/bot-battle"), document => [heading(1, t("Six lanes of paper trading"), battleConclusion(document)), laneTable(document),
  h("p", { class: "small" }, t("Buy and hold: the same capital in the assets of the lane, since its start."), " ", battleSpan(document), " ", paper())]),
  heading(2, t("The last 30 days")), part(async () => {
    const { as_of: until } = await get("/api/v1/bot-battle");
    return get(`/api/v1/bot-battle/history?since=${new Date(Date.parse(until) - 30 * DAY_MS).toISOString().slice(0, 10)}`);
  }, document =>
    lines(t("Equity of six lanes in USD"), document.lanes.map(lane => ({ label: t(lane.label), points: lane.points.map(point => [point.time, point.equity_usd]) })), price))];

const accuracy = () => [heading(1, t("How good is it?"), t("The nine voters and an outside market on the same resolved markets, at the same instant.")), record(),
  part(() => Promise.all([get("/api/predictions/ai-vs-market"), get("/api/v1/markets?status=resolved")]), ([{ books }, { markets }]) => {
    const book = bookOf(books);
    return book && [heading(2, t("Calibration"), t("Each point is a tenth of the markets; its line is the interval that holds with 95% probability.")),
      calibration(t("Calibration of the nine voters"), book.calibration.ai.bins),
      heading(2, t("Brier scores over time"), t("The mean of all markets until then; lower is better.")),
      lines(t("Brier scores over time"), [[t("The nine voters"), "brier_ai"], [t("The outside market"), "brier_market"]].map(([label, name]) =>
        ({ label, points: book.cumulative.map(row => [row.resolved_at, row[name]]) })), score),
      heading(2, t("The latest markets")), table([t("Question"), t("Outcome"), `#${t("Our odds")}`, `#${t("Their odds")}`], markets.filter(row => row.ai && row.market_odds).slice(0, 20).map(row =>
        [row.question, row.resolution.outcome === "yes" ? t("Yes") : t("No"), odds(row.ai.p_yes), odds(row.market_odds.p_yes)]))];
  })];

const HEALTH = { healthy: "healthy", watch: "watch", sick: "sick", critical: "critical", observation: "observation" };
const hospital = () => [part(() => get("/api/v1/strategy-hospital"), document => {
  const { summary, strategies } = document;
  return [heading(1, t("Strategy Hospital"), t("{healthy} of {count} paper strategies were healthy at the end of {month}; {critical} were critical.",
    { healthy: summary.status.healthy, critical: summary.status.critical, count: summary.strategies, month: document.snapshot_month })),
    h("p", { class: "small" }, summary.caveat), table([t("Strategy"), t("Status"), `#${t("Health")}`, `#${t("90 days")}`, `#${t("Buy and hold")}`, `#${t("Largest loss")}`], strategies.map(row =>
      [row.name, t(HEALTH[row.status] || row.status), number(row.health_score, 3), change(row.metrics.return_pct), change(row.metrics.benchmark_return_pct), percent(row.metrics.max_drawdown_pct)]))];
})];

function apexRecord(books) {
  const book = books.find(row => !row.backfilled && row.n >= 30) || books.find(row => row.backfilled && row.n);
  if (!book) return t("No forecast of it is resolved yet.");
  return [t("Of {count} earlier forecasts {share} were on the right side; always the more common side: {other}.", { count: number(book.n),
    share: interval(book.accuracy_pct, book.accuracy_low_pct, book.accuracy_high_pct, value => percent(value)), other: percent(book.likelier_side_pct) }),
    " ", book.backfilled && backfilled()].filter(Boolean);
}

const apex = () => [part(() => get("/api/apex/status"), document => [
  heading(1, t("Apex: bitcoin's next day"), t("Eight layers give a probability of a rise of {share}.", { share: odds(document.vote.p_up) })),
  h("p", {}, apexRecord(document.record)),
  table([t("Layer"), `#${t("Rise")}`, `#${t("Weight")}`, t("Reading")], document.layers.map(layer =>
    [t(layer.name), odds(layer.p_up), number(layer.weight, 2), layer.reading || layer.silent]))]),
  heading(2, t("A fund that follows it")), part(() => get("/api/apex/fund"), fund => [
    h("p", {}, t("{result} since {day}; always half in bitcoin: {other}.", { result: change(fund.pnl_pct), day: day(fund.started_at), other: change(fund.benchmark.pnl_pct) }), " ", paper(), " ", fund.live_since ? null : backfilled()),
    lines(t("Value of the fund in USD"), [[t("Fund"), "equity_usd"], [t("Half in bitcoin"), "benchmark_usd"]].map(([label, name]) =>
      ({ label, points: fund.equity.map(row => [row.time, row[name]]) })), price)])];

const PAGES = { "": home, forecasts, lanes, accuracy, hospital, apex };

function show(isFirst) {
  const [name, asset] = location.hash.replace(/^#\/?/, "").split("/");
  const page = PAGES[name] || home, main = at("main");
  main.replaceChildren(...[page(ASSETS.includes(asset) ? asset : undefined)].flat(3).filter(Boolean));
  for (const link of document.querySelectorAll("nav a")) link.ariaCurrent = link.hash === `#/${name}` ? "page" : null;
  if (page !== home && page !== forecasts) readPrices().catch(() => {});
  if (isFirst) return;
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
}

function refresh() {
  if (document.hidden) return;
  for (const place of document.querySelectorAll("main div")) if (place.refresh) place.refresh();
}

// An event says that something has changed. Where no stream is to be had, the page asks every minute all the same.
function follow() {
  let timer = 0;
  const stream = new EventSource("/api/v1/events?optional=true");
  const changed = () => { timer ||= setTimeout(() => { timer = 0; refresh() }, PAUSE_MS * (1 + Math.random())) };
  for (const kind of EVENTS) stream.addEventListener(kind, changed);
  setInterval(refresh, EVERY_MS);
}

async function translate(name) {
  await choose(name);
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t ||= element.textContent);
  for (const element of document.querySelectorAll("[data-t-label]")) element.ariaLabel = t(element.dataset.tLabel);
  at("language").value = language;
}

at("language").append(...Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, lang: code }, name)));
at("language").addEventListener("change", async ({ target }) => { saved.set("language", target.value); await translate(target.value); show() });
at("theme").addEventListener("click", () => {
  const isDark = document.documentElement.dataset.theme === "dark" || (document.documentElement.dataset.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  saved.set("theme", document.documentElement.dataset.theme = isDark ? "light" : "dark");
  show();
});
document.documentElement.dataset.theme = saved.get("theme") || "auto";
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show(true));
addEventListener("hashchange", () => show());
document.addEventListener("visibilitychange", refresh);
await translate(saved.get("language"));
show(true);
follow();
