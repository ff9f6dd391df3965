// table-view: the list on the one side, an utterance on the other, and the link that says what is shown.

import { Failure, address, begin, figure, json, shown, timeInWords, waiting as wait, worded } from "./api.js";
import { List } from "./list.js";
import { html, nothing, render } from "./lit-html.js";
import { setColours } from "./paint.js";
import { Timeline } from "./timeline.js";

const find = (name) => document.querySelector(name);
const search = find("[data-testid=search]");
const help = find("dialog");

/** What is shown; the link says the same. */
const state = { key: undefined, from: undefined, to: undefined, sort: "", filter: "" };
let info = { tables: [], columns: [], rows: 0, rules: [], background: { done: 0, of: 0 } };
/** What is said about the search. */
let answer = { total: undefined, unmeasured: false, error: undefined };
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
  counted: ({ total, unmeasured }) => {
    answer = { total, unmeasured, error: undefined };
    tell();
  },
  refused: (error) => {
    // What is wrong with the words of a search is said beside them.
    const { column, like } = error.said ?? {};
    if (like === undefined || (column === state.sort.replace(/^-/, "") && !state.filter.includes(column))) {
      failed(error);
      return;
    }
    answer = { total: undefined, unmeasured: false, error };
    tell();
  },
});
const timeline = new Timeline(find("#timeline"), { failed, moved: () => look() });

/** Says how many utterances there are, or why not; shows the rules. */
function tell() {
  const { total, unmeasured, error } = answer;
  const count = find("[data-testid=count]");
  count.textContent = total ?? "";
  find("#of").textContent = total === undefined ? "" : total === info.rows ? (total === 1 ? "utterance" : "utterances") : `of ${info.rows} utterances`;
  search.setAttribute("aria-invalid", String(error !== undefined));
  const like = error?.said.like ?? [];
  const isRule = !info.measured && info.columns.some(({ name }) => name === "findings") && (unmeasured || /(^|\s|-)rule:/.test(state.filter));
  render(html`
    ${error ? html`<p class="fault" role="alert" data-testid="search-error">${shown(error.message)}${like.length ? `; ${like.map(shown).join(", ")}?` : ""}</p>` : nothing}
    ${total === 0 ? html`<p role="status" data-testid="empty">No utterance has all of this.</p>` : nothing}`, find("#search-note"));
  const facets = info.rules.filter(({ count }) => count > 0).sort((one, other) => other.count - one.count);
  render(facets.map(({ name, count, meaning }) => {
    const filter = `rule:${name}`, isChosen = state.filter === filter;
    return html`<button type="button" data-testid="rule" data-rule=${name} data-count=${count} title=${meaning} aria-pressed=${isChosen}
      @click=${() => go({ filter: isChosen ? "" : filter })}>${name} <span class="many">${count}</span></button>`;
  }), find("#rules"));
  render(isRule ? html`<span data-testid="hint">Nothing is measured yet, so nothing is found by rule or measure.</span>` : nothing, find("#hint"));
  const { done, of } = info.background;
  find("#background").textContent = done < of ? `${done} of ${of} headers read` : "";
}

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

/** Shows something else: only what differs is asked for. A link also brings the row of its utterance in sight. */
function apply(next, isLink) {
  const before = { ...state };
  Object.assign(state, next);
  if (search.value !== state.filter && !isTyping) search.value = state.filter;
  const isSought = state.filter !== before.filter || state.sort !== before.sort;
  if (isSought) {
    list.selected = state.key;
    seek(isLink ? state.key : undefined);
  }
  if (state.key !== before.key) load(isSought);
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
  const said = read(location.hash);
  // Another row may be in sight by now.
  if (said.key !== undefined && said.key === state.key && said.filter === state.filter && said.sort === state.sort) list.select(said.key);
  apply(said, true);
}
addEventListener("popstate", arrived);
addEventListener("hashchange", arrived);
// Links inside of the page take effect a moment later.
window.navigation?.addEventListener("navigate", (event) => {
  if (event.hashChange && !isOurs) setTimeout(begin(), 60);
});

// The list.

let searching = Promise.resolve();
function seek(key) {
  alertWith(undefined);
  find("[data-testid=save-keys]").href = address("keys", { filter: state.filter, sort: state.sort });
  searching = list.search(state.filter, state.sort, key);
  return searching;
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
  // Who types a condition may not be done yet.
  const isPart = /(^|\s)-?(rule:[a-z-]*|\w+([<>]=?|=)[^\s]*)$/i.test(search.value);
  waiting = { timer: setTimeout(ask, isPart ? 500 : 120), done, ask };
}

/** Asks at once. */
function hurry() {
  if (!waiting) return;
  clearTimeout(waiting.timer);
  waiting.ask();
}
search.addEventListener("input", typed);
// What empties a field without the keyboard.
search.addEventListener("change", typed);
search.addEventListener("blur", () => { isTyping = false; });
search.addEventListener("keydown", async (event) => {
  if (event.key === "Enter") {
    event.preventDefault();
    hurry();
    const done = begin();
    await searching;
    if (answer.total > 0) {
      list.element.focus();
      list.first();
    }
    done();
  } else if (event.key === "Escape" && search.value !== "") {
    event.preventDefault();
    search.value = "";
    typed();
    hurry();
  } else if (event.key === "ArrowDown" || event.key === "Escape") {
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

/** Shows the utterance that `state` names; `isSought`: a search for its row is under way. */
async function load(isSought) {
  opening.abort();
  opening = new AbortController();
  const { signal } = opening;
  const { key } = state;
  const marked = begin();
  if (isSought) list.selected = key;
  else list.select(key).finally(marked);
  if (isSought) marked();
  alertWith(undefined);
  document.title = key === undefined ? "table-view" : `${shown(key)} - table-view`;
  show(key === undefined ? undefined : { key, tracks: [] });
  if (key === undefined) {
    stopWaiting();
    return;
  }
  stopWaiting = wait(find("#utterance"), find("#utterance .loading"), async (say, ended) => {
    say(`Loading ${shown(key)} …`);
    const { command } = await json("source", { key }, ended).catch(() => ({}));
    if (command) say(`Loading ${shown(key)}: a command runs …`);
  });
  const done = stopWaiting;
  try {
    const utterance = await json("utterance", { key }, signal);
    if (!signal.aborted) show(utterance);
  } catch (error) {
    if (!signal.aborted) failed(error);
  } finally {
    done();
  }
}
let stopWaiting = () => {};

/** Shows an utterance; `isPart`: what can be shown of one whose sound cannot be read. */
function show(utterance, isPart) {
  const faults = (utterance?.tracks ?? []).filter(({ error }) => error);
  const isMute = faults.some(({ kind }) => kind === "wave");
  const others = (utterance?.tracks ?? []).filter(({ error }) => !error);
  const isDrawn = others.length > 0 && (!isMute || isPart);
  render(utterance ? about(utterance, faults) : html`<p class="hint">Choose an utterance: click on a row, or press <kbd>j</kbd>.
    <kbd>?</kbd> shows all keys.</p>`, find("#about"));
  render(utterance && isMute && others.length > 0 && !isPart ? html`<p><button type="button" data-testid="show-rest"
    @click=${() => show(utterance, true)}>Show its other tables</button></p>` : nothing, find("#rest"));
  render(utterance ? numbers(utterance) : nothing, find("#numbers"));
  find("#player").hidden = !isDrawn || isMute;
  timeline.show(isDrawn ? { ...utterance, tracks: others } : undefined, state.from, state.to, info.levels);
  // The link may say more than there is.
  if (timeline.utterance) look();
}

function about({ key, speaker, text, duration, rate, channels, findings }, faults) {
  const facts = [speaker && `speaker ${shown(speaker)}`, typeof duration === "number" && timeInWords(duration), rate && `${rate} Hz`,
    channels && `${channels} ${channels === 1 ? "channel" : "channels"}`].filter(Boolean);
  return html`<h2 data-testid="title"><bdi>${shown(key)}</bdi></h2>
    ${facts.length ? html`<p class="facts">${facts.join(" · ")}</p>` : nothing}
    ${faults.length ? html`<p class="fault" role="alert" data-testid="utterance-error">${faults.map(({ name, error }) => html`<span>${shown(name)}: ${error.split("\n").map(shown).join("\n")}</span>`)}</p>` : nothing}
    ${findings?.length ? html`<ul class="findings" data-testid="findings" aria-label="Findings">${findings.map((found) => finding(found, faults.length > 0 && found.rule === "unreadable"))}</ul>` : nothing}
    ${text === undefined || text === null ? nothing : html`<p data-testid="text" class="text" dir="auto">${shown(text)}</p>`}`;
}

function finding({ rule, value, value_text, usual_text, meaning, other, set }, isSaid) {
  const said = value_text ?? (typeof value === "string" && !isSaid ? shown(value) : "");
  const link = set || !other ? other && `${shown(other)} of ${shown(set)}` : html`<a href="#key=${encodeURIComponent(other)}">${shown(other)}</a>`;
  return html`<li title=${meaning}><strong>${shown(rule)}</strong>${said ? ` ${said}` : nothing}${usual_text ? `, usual ${usual_text}` : nothing}${other ? html`, same as ${link}` : nothing}</li>`;
}

function numbers({ measures }) {
  const list = info.columns.filter(({ name }) => measures?.[name] !== undefined);
  if (list.length === 0) return nothing;
  const number = (column) => {
    const { name, label, unit } = column, value = measures[name];
    // Words are called words once.
    const text = value === null ? "–" : `${worded(value, column)}${unit && !label.split(" ").includes(unit) ? ` ${unit}` : ""}`;
    return html`<div data-testid="number" data-name=${name}><dt>${label}</dt><dd>${text}</dd></div>`;
  };
  return html`<h3>Measures</h3><dl data-testid="numbers">${list.map(number)}</dl>`;
}

// Measuring everything.

async function measure(isStart) {
  const place = find("#measure");
  try {
    const { done, of, state: word, error } = await json("measure", { start: isStart ? 1 : undefined });
    const wasMeasuring = measuring || isStart;
    measuring = word === "running";
    if (measuring) {
      render(html`<progress max=${of} .value=${done} aria-label="Measured utterances"></progress> ${done} of ${of} measured`, place);
      setTimeout(() => measure(false), 500);
      return;
    }
    const isOffered = word !== "done" && of > 0;
    render(isOffered ? html`<button type="button" data-testid="measure" @click=${() => measure(true)}>Measure all</button>` : nothing, place);
    if (word === "failed" && wasMeasuring) {
      failed(new Failure(error));
    } else if (wasMeasuring) {
      await describe();
      if (!answer.error) await list.refresh();
      if (state.key !== undefined) await measured();
    }
  } catch (error) {
    render(nothing, place);
    measuring = false;
    failed(error);
  }
}
let measuring = false;

/** What is open has measures and findings now. */
async function measured() {
  const { key } = state;
  const utterance = await json("utterance", { key });
  if (key !== state.key) return;
  render(about(utterance, utterance.tracks.filter(({ error }) => error)), find("#about"));
  render(numbers(utterance), find("#numbers"));
}

async function describe() {
  info = await json("info");
  list.columns = info.columns;
  setColours(info.colours);
  tell();
  render(info.rules.map(({ name, meaning }) => html`<tr><th scope="row"><code>rule:${name}</code></th><td>${meaning}</td></tr>`), find("#meanings"));
  find("#tables").textContent = info.tables.map(({ name, type }) => (name.includes(type) ? shown(name) : `${shown(name)} (${shown(type)})`)).join(", ");
}

/** Headers are read: the list follows. */
async function follow() {
  if (info.background.done >= info.background.of) return;
  setTimeout(async () => {
    try {
      await describe();
      if (!answer.error) await list.refresh();
      follow();
    } catch (error) {
      failed(error);
    }
  }, 1000);
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
  "w": () => timeline.toggleWaveScale(),
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
  apply(read(location.hash), true);
  await measure(false);
  follow();
} catch (error) {
  failed(error);
} finally {
  starting();
}
