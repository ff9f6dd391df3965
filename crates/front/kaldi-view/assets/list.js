// The list of utterances: a window of a table that may have millions of rows.

import { begin, figure, json, shown, waiting, worded } from "./api.js";
import { html, nothing, render } from "./lit-html.js";

/** Heights in pixels, as in style.css. */
const ROW = 28, HEAD = 32;
/** Browsers end at about 17 million pixels. Above this height, a pixel of the scroll bar is more than a pixel of rows. */
const TALLEST = 7.9e6;
/** Rows of one request. */
const PAGE = 100;
/** Pages that are kept. */
const KEPT = 100;
/** A list that is narrower, in letters, only has the first columns. */
const NARROW = 52;

const FIRST = ["key", "duration", "speaker", "text", "findings"];
/** Widths of columns in letters: at least, and if there is room. */
const WIDTHS = { key: [10, 24], duration: [7, 13], speaker: [7, 10], text: [9, 44], findings: [5, 11] };

export class List {
  #columns = [{ name: "key", type: "text" }];
  #pages = new Map();
  #flights = new Map();
  #searching = new AbortController();
  #generation = 0;
  #total = 0;
  #first = 0;
  #active = -1;
  #question = {};
  #longest = 8;

  /** `open(key, again)` is called for the utterance that somebody chooses, `sort(column)` for a heading, `counted(answer)` and
   * `refused(error)` for the end of a search, `failed(error)` if rows cannot be had. */
  constructor(element, callbacks) {
    Object.assign(this, { element, ...callbacks });
    this.part = element.closest("section");
    this.place = this.part.querySelector(".loading");
    element.addEventListener("scroll", () => this.#scrolled());
    element.addEventListener("keydown", (event) => this.#pressed(event));
    element.addEventListener("wheel", (event) => this.#wheeled(event), { passive: false });
    new ResizeObserver(() => this.#scrolled()).observe(element);
  }

  /** The columns. What people look for first is on the left. */
  set columns(columns) {
    const first = FIRST.map((name) => columns.find((column) => column.name === name)).filter(Boolean);
    this.#columns = [...first, ...columns.filter((column) => !first.includes(column))];
    this.#draw();
  }

  /** Asks anew: from the first row on, or with `key` in sight if it is found. The rows of before stay until the answer is here; their
   * late answers are dropped. */
  async search(filter, sort, key) {
    this.#searching.abort();
    const { signal } = this.#searching = new AbortController();
    const done = waiting(this.part, this.place, (say) => say("Searching …"));
    try {
      const place = key === undefined ? { from: 0 } : { around: key };
      const answer = await json("rows", { ...place, count: PAGE, sort, filter }, signal);
      if (signal.aborted) return;
      this.#generation += 1;
      this.#end(() => true);
      this.#question = { filter, sort };
      this.#pages = new Map();
      this.#total = answer.total;
      this.#take(answer);
      this.#longest = Math.max(8, ...answer.rows.map((row) => row.key.length));
      this.#active = this.#find(this.selected);
      this.#show(this.#active < 0 || key === undefined ? 0 : this.#active - Math.floor(this.#visible / 3));
      this.counted(answer);
    } catch (error) {
      if (!signal.aborted) this.refused(error);
    } finally {
      done();
    }
  }

  /** Asks for the rows in sight again: there may be other numbers. */
  async refresh() {
    const generation = this.#generation;
    const from = Math.floor(this.#first / PAGE) * PAGE;
    try {
      const answer = await json("rows", { from, count: 2 * PAGE, ...this.#question });
      if (generation !== this.#generation) return;
      this.#end(() => true);
      this.#pages = new Map();
      this.#total = answer.total;
      this.#take(answer);
      const index = this.#find(this.selected);
      if (index >= 0) this.#active = index;
      this.#draw();
      this.counted(answer);
    } catch (error) {
      if (generation === this.#generation) this.refused(error);
    }
  }

  /** Marks the utterance that is open, and shows its row; if it is not among the hits, the start. */
  async select(key) {
    this.selected = key;
    let index = this.#find(key);
    if (index < 0 && key !== undefined && this.#question.filter !== undefined) {
      const generation = this.#generation;
      this.#draw();
      try {
        const answer = await json("rows", { around: key, count: PAGE, ...this.#question });
        if (generation !== this.#generation || this.selected !== key) return;
        this.#take(answer);
        index = this.#find(key);
      } catch (error) {
        if (generation === this.#generation) this.failed(error);
        return;
      }
      this.#active = index;
      this.#show(index < 0 ? 0 : index - Math.floor(this.#visible / 3));
    } else if (index >= 0) {
      this.#move(index);
    } else {
      this.#active = -1;
      this.#draw();
    }
  }

  /** Opens the first hit. */
  first() {
    this.#move(0);
    this.#choose(0, false);
  }

  /** Opens the utterance so many rows further down. */
  async step(rows, again) {
    if (this.#total === 0) return;
    const index = Math.min(this.#total - 1, Math.max(0, this.#active + rows));
    this.#move(index);
    const done = begin();
    try {
      await this.#load(Math.floor(index / PAGE));
    } finally {
      done();
    }
    if (this.#active === index) this.#choose(index, again);
  }

  #choose(index, again) {
    const row = this.#row(index);
    if (row) this.open(row.key, again);
  }

  #row(index) {
    return index < 0 ? undefined : this.#pages.get(Math.floor(index / PAGE))?.rows[index % PAGE];
  }

  /** Where a key is among the rows that are here; -1 if it is not. */
  #find(key) {
    if (key === undefined || this.#row(this.#active)?.key === key) return key === undefined ? -1 : this.#active;
    for (const [page, { rows }] of this.#pages) {
      const index = rows.findIndex((row) => row?.key === key);
      if (index >= 0) return page * PAGE + index;
    }
    return -1;
  }

  /** Keeps rows that came. */
  #take({ from, rows, total }) {
    rows.forEach((row, index) => {
      const page = Math.floor((from + index) / PAGE);
      if (!this.#pages.has(page)) this.#pages.set(page, { rows: [], isWhole: false });
      this.#pages.get(page).rows[(from + index) % PAGE] = row;
    });
    const end = from + rows.length;
    for (let page = Math.ceil(from / PAGE); page * PAGE < end; page += 1) {
      if (Math.min((page + 1) * PAGE, total) <= end) this.#pages.get(page).isWhole = true;
    }
    for (const old of this.#pages.keys()) {
      if (this.#pages.size <= KEPT) break;
      this.#pages.delete(old);
    }
  }

  get #visible() {
    return Math.max(1, Math.floor((this.element.clientHeight - HEAD) / ROW));
  }

  /** The height of all rows, scaled if there are too many. */
  get #height() {
    return HEAD + Math.min(this.#total * ROW, TALLEST);
  }

  #scrolled() {
    const room = this.#height - this.element.clientHeight;
    const last = Math.max(0, this.#total - this.#visible);
    const share = room > 0 ? Math.min(1, this.element.scrollTop / room) : 0;
    this.#first = Math.round(share * last);
    this.#draw();
  }

  /** Shows the rows from this one on. */
  #show(first) {
    const last = Math.max(0, this.#total - this.#visible);
    this.#first = Math.min(last, Math.max(0, first));
    // The height first: there is nowhere to scroll before.
    this.#draw();
    const room = Math.max(0, this.#height - this.element.clientHeight);
    this.element.scrollTop = last > 0 ? (this.#first / last) * room : 0;
    this.#draw();
  }

  #wheeled(event) {
    // Where a pixel is many rows, one turn of the wheel would skip rows.
    if (this.#total * ROW <= TALLEST || event.ctrlKey || event.deltaY === 0) return;
    event.preventDefault();
    const rows = event.deltaMode === 0 ? event.deltaY / ROW : event.deltaY;
    this.#show(this.#first + Math.sign(rows) * Math.max(1, Math.round(Math.abs(rows))));
  }

  /** The active row is this one, and in sight. */
  #move(index) {
    this.#active = Math.min(this.#total - 1, Math.max(0, index));
    if (this.#active < this.#first) this.#show(this.#active);
    else if (this.#active >= this.#first + this.#visible) this.#show(this.#active - this.#visible + 1);
    else this.#draw();
  }

  #pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const heading = event.target.closest("[role=columnheader]");
    if (heading) {
      if (event.key !== "Enter" && event.key !== " ") return;
      this.sort(heading.dataset.column);
    } else {
      const page = Math.max(1, this.#visible - 1);
      const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
      if (event.key in steps) this.#move(this.#active + steps[event.key]);
      else if (event.key === "Home") this.#move(0);
      else if (event.key === "End") this.#move(this.#total - 1);
      else if (event.key === "Enter") this.#choose(this.#active, false);
      else if (event.shiftKey && event.key === "ArrowRight") this.element.scrollLeft += 120;
      else if (event.shiftKey && event.key === "ArrowLeft") this.element.scrollLeft -= 120;
      else return;
    }
    event.preventDefault();
  }

  #end(which) {
    for (const [page, flight] of this.#flights) {
      if (which(page)) {
        this.#flights.delete(page);
        flight.abort();
      }
    }
  }

  async #load(page) {
    if (this.#pages.get(page)?.isWhole || this.#flights.has(page) || this.#question.filter === undefined) return;
    const generation = this.#generation;
    const flight = new AbortController();
    this.#flights.set(page, flight);
    try {
      const answer = await json("rows", { from: page * PAGE, count: PAGE, ...this.#question }, flight.signal);
      if (generation !== this.#generation) return;
      this.#flights.delete(page);
      this.#take(answer);
      this.#draw();
    } catch (error) {
      if (flight.signal.aborted || generation !== this.#generation) return;
      // It is not asked for again and again.
      this.#flights.delete(page);
      this.#pages.set(page, { rows: [], isWhole: true });
      this.failed(error);
    }
  }

  /** The columns that are shown, and their widths in letters. */
  #shownColumns() {
    if (!this.letter) {
      const ruler = document.createElement("span");
      ruler.className = "ruler";
      this.element.append(ruler);
      this.letter = ruler.getBoundingClientRect().width || 8;
      ruler.remove();
    }
    const room = Math.max(20, (this.element.clientWidth - 10) / this.letter);
    const sorted = (this.#question.sort ?? "").replace(/^-/, "");
    const isFirst = ({ name }) => FIRST.includes(name);
    const columns = room >= NARROW ? this.#columns : this.#columns.filter((column) => isFirst(column) || column.name === sorted);
    const widths = columns.map(({ name, label, unit }) => WIDTHS[name] ?? [9, Math.min(28, (label ?? name).length + (label?.includes(unit) ? 0 : unit?.length ?? 0) + 5)]);
    // The first columns share the room: first as much as they need, and what is left of it is for long keys and the text.
    const least = widths.reduce((sum, [low], at) => sum + (isFirst(columns[at]) ? low : 0), 0);
    let left = Math.max(0, room - least - 0.1);
    const widen = (chosen, at, most, share = 1) => {
      const more = Math.min(left * share, Math.max(0, most - chosen[at]));
      left -= more;
      chosen[at] += more;
    };
    const chosen = widths.map(([low, high], at) => (isFirst(columns[at]) ? low : high));
    const key = columns.findIndex(({ name }) => name === "key"), text = columns.findIndex(({ name }) => name === "text");
    widen(chosen, key, Math.min(14, this.#longest + 2));
    columns.forEach((column, at) => { if (isFirst(column) && at !== text && at !== key) widen(chosen, at, widths[at][1]); });
    widen(chosen, key, Math.min(widths[key][1], this.#longest + 2), text < 0 ? 1 : 0.4);
    chosen[text < 0 ? columns.findLastIndex(isFirst) : text] += left;
    return { columns, widths: chosen };
  }

  #draw() {
    const end = Math.min(this.#total, this.#first + this.#visible);
    const pages = new Set();
    for (let index = this.#first; index < end; index += 1) pages.add(Math.floor(index / PAGE));
    const activePage = Math.floor(this.#active / PAGE);
    this.#end((page) => page !== activePage && !pages.has(page));
    for (const page of pages) this.#load(page);
    const { columns, widths } = this.#shownColumns();
    this.element.style.setProperty("--columns", widths.map((width) => `${width * this.letter}px`).join(" "));
    const rows = [];
    for (let index = this.#first; index < end; index += 1) rows.push(this.#line(index, columns));
    this.element.ariaRowCount = this.#total;
    const isActiveShown = this.#active >= this.#first && this.#active < end;
    if (isActiveShown) this.element.setAttribute("aria-activedescendant", `row-${this.#active}`);
    else this.element.removeAttribute("aria-activedescendant");
    render(html`<div class="whole" role="presentation">
      <div class="head" role="rowgroup"><div class="line" role="row">${columns.map((column) => this.#heading(column))}</div></div>
      <div class="rows" role="rowgroup">${rows}</div></div>`, this.element);
    this.element.firstElementChild.style.height = `${this.#height}px`;
  }

  #heading({ name, type, label, unit }) {
    const { sort } = this.#question;
    const order = sort === name ? "ascending" : sort === `-${name}` ? "descending" : "none";
    const text = label ?? name, isNumber = type === "number";
    const isUnit = isNumber && unit && !text.split(" ").includes(unit);
    return html`<div role="columnheader" tabindex="0" aria-sort=${order} data-testid="sort-${name}" data-column=${name}
      class=${isNumber ? "number" : nothing} title="Sort by ${text}${isUnit ? `, in ${unit}` : ""}"
      @click=${() => this.sort(name)}>${text}${isUnit ? html` <span class="unit">${unit}</span>` : nothing}</div>`;
  }

  #line(index, columns) {
    const row = this.#row(index);
    const isOpen = row !== undefined && row.key === this.selected;
    return html`<div role="row" class="line ${index === this.#active ? "active" : ""}" id="row-${index}" aria-rowindex=${index + 1}
      aria-selected=${isOpen} data-testid=${row ? "row" : nothing} data-key=${row?.key ?? nothing}
      @click=${() => { this.#active = index; this.#choose(index, false); }}>${columns.map((column) => this.#cell(row?.[column.name], column))}</div>`;
  }

  #cell(value, column) {
    if (column.type === "rules") {
      const rules = Array.isArray(value) ? value.map(shown) : [];
      return html`<div role="gridcell">${rules.length ? html`<span class="badge" data-testid="badge" title=${rules.join(", ")}>${rules.length}</span>` : nothing}</div>`;
    }
    if (column.type === "number") {
      return html`<div role="gridcell" class="number">${typeof value === "number" ? worded(value, column) : nothing}</div>`;
    }
    const text = figure(value);
    return html`<div role="gridcell" dir="auto" title=${text || nothing}>${text}</div>`;
  }
}
