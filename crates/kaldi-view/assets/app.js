// table-view: the list on the one side, an utterance on the other, and the link that says what is shown.

import { Failure, address, begin, figure, json, shown } from "./api.js";
import { List } from "./list.js";
import { html, nothing, render } from "./lit-html.js";
import { Timeline } from "./timeline.js";

const find = (name) => document.querySelector(name);
const search = find("[data-testid=search]");
const help = find("dialog");

/** What is shown; the link says the same. */
const state = { key: undefined, from: undefined, to: undefined, sort: "", filter: "" };
let info = { tables: [], columns: [], rows: 0 };
let opening = new AbortController();
let isTyping = false;

const failed = (error) => {
  if (!(error instanceof Failure)) console.error(error);
  alertWith(error.message);
};
const list = new List(find("[data-testid=list]"), {
  failed,
  open: (key, again) => open(key, again),
  sort: (column) => go({ sort: state.sort === column ? `-${column}` : state.sort === `-${column}` ? "" : column }),
  counted: (total) => {
    find("[data-testid=count]").textContent = total;
    find("#of").textContent = total === info.rows ? (total === 1 ? "utterance" : "utterances") : `of ${info.rows} utterances`;
  },
});
const timeline = new Timeline(find("#timeline"), { failed, moved: () => look() });

/** Says what went wrong; `undefined`: nothing any more. */
function alertWith(message) {
  render(message === undefined ? nothing : html`<div role="alert" data-testid="error"><span>${shown(message)}</span>
    <button type="button" @click=${() => alertWith(undefined)}>Dismiss</button></div>`, find("#alerts"));
}

// The link.

/** What a link says. */
function read(hash) {
  const said = {};
  for (const part of hash.replace(/^#/, "").split("&")) {
    const [name, ...value] = part.split("=");
    // A plus is a space where people write several words, and a part of many keys.
    const text = name === "filter" ? value.join("=").replaceAll("+", " ") : value.join("=");
    try {
      said[name] = decodeURIComponent(text);
    } catch {
      said[name] = text;
    }
  }
  const time = (text) => (text === undefined || text === "" || !Number.isFinite(Number(text)) ? undefined : Number(text));
  return { key: said.key || undefined, from: time(said.from), to: time(said.to), sort: said.sort ?? "", filter: said.filter ?? "" };
}

function link() {
  const parts = Object.entries(state).filter(([, value]) => value !== undefined && value !== "");
  return `#${parts.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}`;
}

let isOurs = false;
/** Puts what is shown into the address. */
function write(isNew) {
  const hash = link();
  if (hash === (location.hash || "#")) return;
  isOurs = true;
  history[isNew ? "pushState" : "replaceState"](null, "", hash);
  isOurs = false;
}

/** Changes what is shown, as a new step of the history. */
function go(change) {
  apply({ ...state, ...change });
  write(true);
}

/** Shows something else: only what differs is asked for. */
function apply(next) {
  const before = { ...state };
  Object.assign(state, next);
  if (search.value !== state.filter && !isTyping) search.value = state.filter;
  if (state.filter !== before.filter || state.sort !== before.sort) seek();
  if (state.key !== before.key) load();
  else if (timeline.utterance && (state.from !== before.from || state.to !== before.to)) timeline.look(state.from, state.to);
}

// The browser asks less often than we could write: at most 200 times in half a minute.
let later;
/** Another part of the utterance is shown. */
function look() {
  const place = (time) => (timeline.isWhole ? undefined : Number(time.toFixed(4)));
  state.from = place(timeline.from);
  state.to = place(timeline.to);
  if (later) return;
  write(false);
  const done = begin();
  later = setTimeout(() => {
    later = undefined;
    write(false);
    done();
  }, 200);
}

function arrived() {
  isTyping = false;
  apply(read(location.hash));
}
addEventListener("popstate", arrived);
addEventListener("hashchange", arrived);
// Links inside of the page take effect a moment later.
window.navigation?.addEventListener("navigate", (event) => {
  if (event.hashChange && !isOurs) setTimeout(begin(), 60);
});

// The list.

function seek() {
  alertWith(undefined);
  find("[data-testid=save-keys]").href = address("keys", { filter: state.filter, sort: state.sort });
  list.search(state.filter, state.sort);
}

let waiting;
function typed() {
  if (!waiting && search.value.trim() === state.filter) return;
  // One search is one step of the history, however many letters it has.
  clearTimeout(waiting?.timer);
  const done = waiting?.done ?? begin();
  const ask = () => {
    waiting = undefined;
    const isNew = !isTyping;
    isTyping = true;
    apply({ ...state, filter: search.value.trim() });
    write(isNew);
    done();
  };
  waiting = { timer: setTimeout(ask, 120), done, ask };
}
search.addEventListener("input", typed);
// What empties a field without the keyboard.
search.addEventListener("change", typed);
search.addEventListener("blur", () => { isTyping = false; });
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && waiting) {
    clearTimeout(waiting.timer);
    waiting.ask();
  } else if (event.key === "ArrowDown" || (event.key === "Escape" && search.value === "")) {
    event.preventDefault();
    list.element.focus();
  }
});

// The utterance.

/** Opens an utterance; `again`: as a part of the last step of the history, for keys that are held down. */
function open(key, again) {
  if (key === state.key) return;
  apply({ ...state, key, from: undefined, to: undefined });
  write(!again);
}

async function load() {
  opening.abort();
  opening = new AbortController();
  const { signal } = opening;
  const { key } = state;
  list.select(key);
  alertWith(undefined);
  document.title = key === undefined ? "table-view" : `${shown(key)} - table-view`;
  if (key === undefined) {
    show(undefined);
    return;
  }
  try {
    const utterance = await json("utterance", { key }, signal);
    if (signal.aborted) return;
    show(utterance);
    const fault = utterance.tracks.find(({ error }) => error);
    if (fault) alertWith(`${fault.name}: ${fault.error}`);
  } catch (error) {
    if (signal.aborted) return;
    show({ key, tracks: [] });
    failed(error);
  }
}

function show(utterance) {
  render(utterance ? about(utterance) : html`<p class="hint">Choose an utterance: click on a row, or press <kbd>j</kbd>.
    <kbd>?</kbd> shows all keys.</p>`, find("#about"));
  render(utterance ? numbers(utterance) : nothing, find("#numbers"));
  find("#player").hidden = !utterance;
  timeline.show(utterance?.tracks.length ? utterance : undefined, state.from, state.to);
  // The link may say more than there is.
  if (timeline.utterance) look();
}

function about({ key, speaker, text, duration, rate, channels, findings }) {
  const facts = [speaker && `speaker ${shown(speaker)}`, typeof duration === "number" && `${figure(duration)} s`, rate && `${rate} Hz`,
    channels && `${channels} ${channels === 1 ? "channel" : "channels"}`].filter(Boolean);
  return html`<h2 data-testid="title"><bdi>${shown(key)}</bdi></h2>
    ${facts.length ? html`<p class="facts">${facts.join(" · ")}</p>` : nothing}
    ${findings?.length ? html`<ul class="findings" data-testid="findings" aria-label="Findings">${findings.map(finding)}</ul>` : nothing}
    ${text === undefined || text === null ? nothing : html`<p data-testid="text" class="text" dir="auto">${shown(text)}</p>`}`;
}

function finding({ rule, value, usual, score, other }) {
  const isThere = (number) => number !== undefined && number !== null;
  return html`<li><strong>${shown(rule)}</strong>${isThere(value) ? ` ${figure(value)}` : nothing}${isThere(usual) ? `, usual ${figure(usual)}` : nothing}${isThere(score) && score < 100 ? `, score ${figure(score)}` : nothing}${other ? html`, same as <a href="#key=${encodeURIComponent(other)}">${shown(other)}</a>` : nothing}</li>`;
}

function numbers({ measures }) {
  const list = Object.entries(measures ?? {}).filter(([, value]) => value !== undefined);
  if (list.length === 0) return nothing;
  return html`<h3>Measures</h3><dl data-testid="numbers">${list.map(([name, value]) => html`<div><dt>${name.replaceAll("_", " ")}</dt><dd>${value === null ? "none" : figure(value)}</dd></div>`)}</dl>`;
}

// Measuring everything.

async function measure(isStart) {
  const place = find("#measure");
  try {
    const { done, of, state: word, error } = await json("measure", { start: isStart ? 1 : undefined });
    const wasMeasuring = measuring || isStart;
    measuring = word === "running";
    if (measuring) {
      render(html`<progress max=${of} .value=${done} aria-label="Measured utterances"></progress> ${done} of ${of}`, place);
      setTimeout(() => measure(false), 500);
      return;
    }
    const isOffered = word !== "done" && of > 0;
    render(isOffered ? html`<button type="button" data-testid="measure" @click=${() => measure(true)}>Measure all</button>` : nothing, place);
    if (word === "failed" && wasMeasuring) {
      failed(new Failure(error));
    } else if (wasMeasuring) {
      await describe();
      seek();
      if (state.key !== undefined) load();
    }
  } catch (error) {
    render(nothing, place);
    measuring = false;
    failed(error);
  }
}
let measuring = false;

async function describe() {
  info = await json("info");
  list.columns = info.columns.map(({ name }) => name);
  find("#tables").textContent = info.tables.map(({ name, type }) => (name.includes(type) ? shown(name) : `${shown(name)} (${shown(type)})`)).join(", ");
}

// Keys.

const isField = (element) => element.matches?.("input, select, textarea, audio");
const KEYS = {
  "/": () => { search.focus(); search.select(); },
  "j": (event) => list.step(1, event.repeat),
  "k": (event) => list.step(-1, event.repeat),
  "+": () => timeline.zoom(1 / 2),
  "=": () => timeline.zoom(1 / 2),
  "-": () => timeline.zoom(2),
  "0": () => timeline.fit(),
  "d": () => timeline.toggleDifference(),
  "b": () => timeline.nextWindow(),
  " ": () => timeline.toggle(),
  "ArrowLeft": (event) => timeline.nudge(event.shiftKey ? -10 : -1),
  "ArrowRight": (event) => timeline.nudge(event.shiftKey ? 10 : 1),
  "?": () => (help.open ? help.close() : help.showModal()),
};
addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
  const press = KEYS[event.key];
  if (!press || (help.open && event.key !== "?")) return;
  // A button is pressed by the space bar.
  if (event.key === " " && event.target.closest("button, a, summary")) return;
  event.preventDefault();
  press(event);
});
find("#show-help").addEventListener("click", () => help.showModal());

// The start.

const starting = begin();
find("#player").append(timeline.player);
show(undefined);
try {
  await describe();
  Object.assign(state, { sort: undefined });
  apply(read(location.hash));
  await measure(false);
} catch (error) {
  failed(error);
} finally {
  starting();
}
