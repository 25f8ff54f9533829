// The question box: registration, the answer while its votes arrive, and other readings of a question.
import { backfilled, h, minute, odds, price, saved, t } from "/home/text.js";

const EXAMPLES = ["Will Bitcoin rise more than 5% this month?", "Will ETH reach 2,500 USD by Friday?",
  "Where will gold be in a week?"];
const ATTEMPTS = 6, WAIT_MS = 2000;

class Problem extends Error {
  constructor(status, body) {
    super(body.detail || t("The service does not answer."));
    Object.assign(this, { status, suggestions: body.suggestions || [], isPassing: status >= 500 || body.code === "in_progress" });
  }
}

// A text such as "and eth?" carries on from the last answer.
let last;

// Under one Idempotency-Key a question that was interrupted is answered and counted once.
async function* answered(question, key) {
  const id = Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(16).padStart(2, "0")).join("");
  for (let attempt = 1; ; attempt++) {
    try {
      yield* events(await post("/api/v1/oracle", { question, context: last }, { "X-API-Key": key, "Idempotency-Key": id, Accept: "text/event-stream" }));
      return;
    } catch (fault) {
      if (attempt === ATTEMPTS || (fault instanceof Problem && !fault.isPassing)) throw fault;
      await new Promise(resolve => setTimeout(resolve, WAIT_MS * attempt));
      yield ["again", null];
    }
  }
}

async function post(path, body, headers = {}) {
  const response = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body), credentials: "omit" });
  if (response.ok) return response;
  throw new Problem(response.status, await response.json().catch(() => ({})));
}

async function* events(response) {
  if (!response.headers.get("Content-Type").startsWith("text/event-stream")) {
    yield ["consensus", await response.json()];
    return;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "", isWhole = false;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const kind = /^event: (.*)$/m.exec(part), data = /^data: (.*)$/m.exec(part);
      if (!kind || !data) continue;
      const body = JSON.parse(data[1]);
      if (kind[1] === "error") throw new Problem(body.status, body);
      isWhole ||= kind[1] === "consensus";
      yield [kind[1], body];
    }
  }
  if (!isWhole) throw new Error(t("The connection was cut."));
}

function voteRow(name, vote) {
  const fill = h("i");
  fill.style.width = `${100 * (vote.p_yes ?? 0)}%`;
  return h("li", {}, h("details", {},
    h("summary", {}, h("span", {}, name), h("span", { class: "track" }, fill, h("b")), h("span", { class: "number" }, odds(vote.p_yes))),
    h("p", {}, vote.reasoning)));
}

// The answer to a question, or of an open market, as a card; `more` is put below its votes.
function Card(question, isExample) {
  const state = { p: null, text: t("Asking nine voters …"), note: question, votes: new Map(), names: [] };
  const verdict = h("p", { class: "verdict", role: "status" }), note = h("p", { class: "small" }), votes = h("ul", { class: "votes" });
  const after = h("div"), element = h("section", { class: "card answer", "aria-label": t("Answer") },
    isExample && h("p", { class: "small" }, t("An open market as an example, with its votes of the opening")), h("h3", {}, question), verdict, note, votes, after);
  const show = () => {
    verdict.textContent = state.text;
    note.textContent = state.note;
    const waiting = state.names.filter(name => !state.votes.has(name))
      .map(name => h("li", { class: "waiting" }, h("span", {}, name), h("span", { class: "track" }), h("span", {}, "…")));
    votes.replaceChildren(...[...state.votes].map(([name, vote]) => voteRow(name, vote)), ...waiting);
  };
  show();
  return { element, state, show, after };
}

// "Unlikely: 26%" of the service, in the reader's language.
const inWords = (answer, p) => `${t(answer.split(":")[0])}: ${odds(p)}`;

function conclude(card, answer, ask) {
  const range = answer.price_forecast && answer.price_forecast.quantiles;
  card.state.text = range ? t("{low} to {high} USD in 9 of 10 cases", { low: price(range[5]), high: price(range[95]) })
    : answer.p_yes === null ? answer.answer : inWords(answer.answer, answer.p_yes);
  last = answer.id;
  card.state.note = answer.understood.canonical;
  card.state.votes = new Map(Object.entries(answer.votes));
  card.state.names = [];
  card.show();
  const { notes, alternatives } = answer.understood;
  card.after.replaceChildren(
    h("p", { class: "small" }, t("Open a voter to read its reason.")),
    notes.length ? h("p", { class: "small" }, notes.join(" ")) : "",
    alternatives.length ? h("div", { class: "chips" }, alternatives.map(other =>
      h("button", { type: "button", onclick: () => ask(other.question) }, t("Ask instead: {question}", { question: other.question })))) : "",
    h("p", { class: "small" }, t("Prices of {time}. This is not investment advice.", { time: minute(answer.as_of) })));
}

// The whole box. `example` gives an open market with its votes, which stands there before the first question.
export function questionBox(example) {
  const input = h("input", { type: "text", maxlength: 500, "aria-label": t("Your question"), placeholder: t(EXAMPLES[0]), enterkeyhint: "send" });
  const button = h("button", { class: "main" }, t("Ask"));
  const place = h("div"), status = h("div", { role: "alert" });
  const form = h("form", { onsubmit: event => { event.preventDefault(); ask(input.value.trim() || input.placeholder) } }, input, button);

  async function ask(question) {
    input.value = question;
    status.replaceChildren();
    const key = saved.get("key");
    if (!key) return register(question);
    const card = Card(question);
    place.replaceChildren(card.element);
    button.disabled = true;
    try {
      for await (const [kind, body] of answered(question, key)) {
        if (kind === "question") Object.assign(card.state, { note: body.understood.canonical, names: body.voters });
        if (kind === "vote") card.state.votes.set(body.voter, body.vote);
        if (kind === "abstention") card.state.votes.set(body.voter, { p_yes: null, reasoning: body.reason });
        if (kind === "again") card.state.text = t("The connection was cut. Asking again; the question counts once …");
        if (kind === "consensus") conclude(card, body, ask);
        else card.show();
      }
    } catch (fault) {
      place.replaceChildren();
      if (fault.status === 401) return register(question);
      status.append(h("p", { class: "fault" }, fault.message),
        h("div", { class: "chips" }, (fault.suggestions || []).map(text => h("button", { type: "button", onclick: () => ask(text) }, text))));
    } finally {
      button.disabled = false;
    }
  }

  function register(question) {
    const email = h("input", { type: "email", required: true, autocomplete: "email", "aria-label": t("Your email"), placeholder: "you@example.com" });
    const fault = h("p", { class: "fault", role: "alert" });
    place.replaceChildren(h("section", { class: "card answer" }, h("h3", {}, t("A free key is needed: ten questions a day.")),
      h("p", { class: "small" }, t("It is kept in this browser. No confirmation is sent.")),
      h("form", { onsubmit: async event => {
        event.preventDefault();
        try {
          const key = await (await post("/api/v1/register", { email: email.value })).json();
          saved.set("key", key.api_key);
          last = undefined;
          ask(question);
        } catch (problem) { fault.textContent = problem.message }
      } }, email, h("button", { class: "main" }, t("Get the key and ask"))), fault));
    email.focus();
  }

  const examples = h("div", { class: "chips" }, EXAMPLES.map(text => h("button", { type: "button", onclick: () => ask(t(text)) }, t(text))));
  example.then(market => {
    if (!market || place.firstChild) return;
    const card = Card(market.question, true);
    place.replaceChildren(card.element);
    Object.assign(card.state, { text: market.ai ? inWords(market.ai.answer, market.ai.p_yes) : "", note: market.understood.canonical,
      votes: new Map(Object.entries(market.ai_votes)) });
    card.show();
    if (market.backfilled) card.after.replaceChildren(backfilled());
  }, () => {});
  return h("div", {}, form, examples, status, place);
}
