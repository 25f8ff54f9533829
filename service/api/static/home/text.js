// Words, numbers and times in the reader's language, and the making of elements.
export const LANGUAGES = { en: "English", de: "Deutsch", es: "Español", fr: "Français", it: "Italiano",
  pt: "Português", tr: "Türkçe", ru: "Русский", zh: "中文", ja: "日本語" };
export const saved = {
  get: name => { try { return localStorage.getItem("ninefold-" + name) } catch { return null } },
  set: (name, value) => { try { localStorage.setItem("ninefold-" + name, value) } catch { /* the page forgets it */ } },
};
let words = {};
export let language = "en";

export async function choose(name) {
  const code = [name, ...navigator.languages].map(tag => (tag || "").slice(0, 2)).find(tag => tag in LANGUAGES) || "en";
  words = code === "en" ? {} : await fetch(`/home/words/${code}.json`).then(response => response.json(), () => ({}));
  language = document.documentElement.lang = code;
}

// An English text is the key of its translation; {name} is replaced by a value.
export const t = (text, values = {}) => (words[text] || text).replace(/{(\w+)}/g, (_, name) => values[name]);

export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

export const number = (value, digits = 5) =>
  value === null ? "–" : value.toLocaleString(language, { maximumSignificantDigits: digits });
export const price = value => (value === null ? "–" :
  value.toLocaleString(language, value >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 5 }));
export const percent = (value, digits = 0) => value === null || value === undefined ? "–" :
  (value / 100).toLocaleString(language, { style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits });
export const change = (value, digits = 1) => value === null || value === undefined ? "–" :
  (value / 100).toLocaleString(language, { style: "percent", signDisplay: "exceptZero", minimumFractionDigits: digits,
    maximumFractionDigits: digits });
// Of a probability; one near 0 or 1 keeps a digit.
export function odds(p) {
  if (p === null || p === undefined) return "–";
  if (p < 0.0005) return "<" + percent(0.1, 1);
  return p > 0.9995 ? ">" + percent(99.9, 1) : percent(100 * p, Math.min(p, 1 - p) < 0.01 ? 1 : 0);
}
export const points = (value, digits = 0) => value === null || value === undefined ? "–" : t("{number} pp", { number:
  value.toLocaleString(language, { signDisplay: "exceptZero", minimumFractionDigits: digits, maximumFractionDigits: digits }) });
export const side = value => (value > 0 ? "up" : value < 0 ? "down" : "");
// A replay shows another year than that of the reader.
const year = instant => (new Date(instant).getFullYear() === new Date().getFullYear() ? {} : { year: "numeric" });
export const day = instant => new Date(instant).toLocaleDateString(language, { day: "numeric", month: "short", ...year(instant) });
export const minute = instant => new Date(instant).toLocaleString(language,
  { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", ...year(instant) });
export const backfilled = () => h("span", { class: "tag",
  title: t("Computed for the past when the service first started, with the data of its day.") }, t("backfilled"));
