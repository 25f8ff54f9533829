// Three charts: a price with its fan, lines over time, and calibration. Each says in words what it shows.
import { h, language, minute, price, t } from "/home/text.js";

// The colour that light-dark() yields is read from an element, because a canvas takes no such expression.
function resolved(name) {
  const probe = h("i", { hidden: true });
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}
const LINES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

function draw(title, options, data) {
  const holder = h("div", { class: "plot", role: "img", "aria-label": title });
  const ink = resolved("--quiet"), line = resolved("--line");
  const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: "12px system-ui" };
  // Between two days the hour stands in place of the day.
  const times = values => values.map(value => new Date(value * 1000)).map(time => time.toLocaleString(language,
    values[1] - values[0] < 86400 && time.getHours() + time.getMinutes() ? { hour: "2-digit", minute: "2-digit" } : { day: "numeric", month: "short" }));
  let chart = null;
  const build = width => {
    const [x, y] = options.axes || [{}, {}];
    chart = new uPlot({
      width, height: options.height, padding: [10, 20, 0, 0], cursor: { y: false, drag: { x: false, y: false } },
      legend: { show: options.legend !== false, live: options.legend !== false },
      scales: options.scales || {}, bands: options.bands, hooks: options.hooks,
      axes: [{ ...axis, space: 70, values: (_, values) => times(values), ...x },
        { ...axis, size: 64, values: (_, values) => values.map(options.value || price), ...y }],
      series: [{ label: t("Time"), value: (_, value) => (value ? minute(value * 1000) : ""), ...(options.x || {}) },
        ...options.series],
    }, data, holder);
  };
  // Drawn once it has a place on the page, and again where its width changes.
  new ResizeObserver(([entry]) => {
    const width = Math.floor(entry.contentRect.width);
    if (!width) return;
    if (chart) chart.setSize({ width, height: options.height });
    else build(width);
  }).observe(holder);
  return holder;
}

// `bars` are past closes, `horizons` the quantiles of a price after some hours.
export function fan(name, bars, forecast, { height = 170, legend = false, hours = 168 } = {}) {
  const start = Date.parse(forecast.price_as_of) / 1000;
  const past = bars.map(bar => [Date.parse(bar.time) / 1000, bar.close]).filter(([time]) => time < start);
  const future = forecast.horizons.map(row => [Date.parse(row.until) / 1000, row.quantiles])
    .filter(([time]) => time <= start + hours * 3600 + 60);
  const xs = [...past.map(([time]) => time), start, ...future.map(([time]) => time)];
  const gap = past.map(() => null), now = forecast.price;
  const quantile = key => [...gap, now, ...future.map(([, row]) => row[key])];
  const closes = [...past.map(([, close]) => close), now, ...future.map(() => null)];
  const value = (_, number) => price(number ?? null), quiet = { stroke: "transparent", width: 0, points: { show: false }, value };
  const last = future[future.length - 1];
  const title = last ? t("{name}: now {now} USD; on {day} between {low} and {high} USD in 9 of 10 cases", { name,
    now: price(now), day: new Date(last[0] * 1000).toLocaleDateString(language), low: price(last[1][5]), high: price(last[1][95]) }) : name;
  return draw(title, {
    height, legend,
    bands: [{ series: [2, 3], fill: resolved("--wide") }, { series: [4, 5], fill: resolved("--narrow") }],
    series: [
      { label: t("Price"), stroke: resolved("--ink"), width: 1.5, points: { show: false }, value },
      { label: "95%", ...quiet }, { label: "5%", ...quiet }, { label: "75%", ...quiet }, { label: "25%", ...quiet },
      { label: "50%", stroke: resolved("--up"), width: 1.5, dash: [4, 4], points: { show: false }, value },
    ],
  }, [xs, closes, quantile(95), quantile(5), quantile(75), quantile(25), quantile(50)]);
}

// `rows` are {label, points: [[instant, value], …]} over the same or different instants.
export function lines(title, rows, value, height = 320) {
  const tables = rows.map(row => [row.points.map(([time]) => Date.parse(time) / 1000), row.points.map(point => point[1])]);
  const show = (_, number) => (number === null || number === undefined ? "–" : value(number));
  return draw(title, {
    height, value,
    series: rows.map((row, index) => ({ label: row.label, stroke: LINES[index % LINES.length], width: 2, spanGaps: true,
      points: { show: false }, value: show })),
  }, uPlot.join(tables));
}

// How often what was given a probability came true, with the interval of each group.
export function calibration(title, bins) {
  const xs = [0, ...bins.map(bin => 100 * bin.p_yes), 100];
  const interval = {
    draw: [plot => {
      const context = plot.ctx;
      context.save();
      context.strokeStyle = resolved("--narrow");
      context.lineWidth = 3;
      context.setLineDash([]);
      for (const bin of bins) {
        const x = plot.valToPos(100 * bin.p_yes, "x", true);
        context.beginPath();
        context.moveTo(x, plot.valToPos(bin.low_pct, "y", true));
        context.lineTo(x, plot.valToPos(bin.high_pct, "y", true));
        context.stroke();
      }
      context.restore();
    }],
  };
  const show = (_, value) => (value === null || value === undefined ? "–" : `${Math.round(value)}%`);
  const labels = (_, values) => values.map(value => `${value}%`);
  return draw(title, {
    height: 320, hooks: interval, x: { label: t("Forecast"), value: show },
    scales: { x: { time: false, range: [0, 100] }, y: { range: [0, 100] } },
    axes: [{ values: labels }, { values: labels }],
    series: [
      { label: t("Came true"), stroke: "transparent", width: 0, points: { show: true, size: 9, fill: LINES[0], stroke: LINES[0] }, value: show },
      { label: t("Perfect"), stroke: resolved("--quiet"), width: 1, dash: [4, 4], points: { show: false }, value: show },
    ],
  }, [xs, [null, ...bins.map(bin => bin.observed_pct), null], xs]);
}
