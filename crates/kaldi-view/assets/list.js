// The list of utterances: a window of a table that may have millions of rows.

import { begin, figure, json, shown } from "./api.js";
import { html, nothing, render } from "./lit-html.js";

/** Heights in pixels, as in style.css. */
const ROW = 28, HEAD = 32;
/** Browsers end at about 17 million pixels. Above this height, a pixel of the scroll bar is more than a pixel of rows. */
const TALLEST = 7.9e6;
/** Rows of one request. */
const PAGE = 100;
/** Pages that are kept. */
const KEPT = 100;

const FIRST = ["key", "duration", "speaker", "text"];
const WIDTHS = { text: 44, speaker: 12 };

export class List {
  #columns = ["key"];
  #pages = new Map();
  #flights = new Map();
  #searching = new AbortController();
  #generation = 0;
  #total = 0;
  #first = 0;
  #active = -1;
  #question = {};

  /** `open(key, again)` is called for the utterance that somebody chooses, `sort(column)` for a heading, `counted(total)` and
   * `failed(error)` for the end of a search. */
  constructor(element, { open, sort, counted, failed }) {
    Object.assign(this, { element, open, sort, counted, failed });
    element.addEventListener("scroll", () => this.#scrolled());
    element.addEventListener("keydown", (event) => this.#pressed(event));
    element.addEventListener("wheel", (event) => this.#wheeled(event), { passive: false });
    new ResizeObserver(() => this.#scrolled()).observe(element);
  }

  /** Names of columns. What people look for first is on the left. */
  set columns(names) {
    const first = FIRST.filter((name) => names.includes(name));
    this.#columns = [...first, ...names.filter((name) => !first.includes(name))];
  }

  /** Asks anew, from the first row on. The rows of before stay until the answer is here; their late answers are dropped. */
  async search(filter, sort) {
    this.#searching.abort();
    const { signal } = this.#searching = new AbortController();
    try {
      const answer = await json("rows", { from: 0, count: PAGE, sort, filter }, signal);
      if (signal.aborted) return;
      this.#generation += 1;
      this.#end(() => true);
      this.#question = { filter, sort };
      this.#pages = new Map([[0, answer.rows]]);
      this.#total = answer.total;
      this.#active = answer.rows.findIndex((row) => row.key === this.selected);
      this.#fit(answer.rows);
      this.#show(0);
      this.counted(answer.total);
    } catch (error) {
      if (!signal.aborted) this.failed(error);
    }
  }

  /** Marks the utterance that is open. */
  select(key) {
    this.selected = key;
    if (this.#row(this.#active)?.key !== key) {
      this.#active = -1;
      for (const [page, rows] of this.#pages) {
        const index = rows.findIndex((row) => row.key === key);
        if (index >= 0) this.#active = page * PAGE + index;
      }
    }
    this.#draw();
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
    return index < 0 ? undefined : this.#pages.get(Math.floor(index / PAGE))?.[index % PAGE];
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
    if (this.#pages.has(page) || this.#flights.has(page)) return;
    const generation = this.#generation;
    const flight = new AbortController();
    this.#flights.set(page, flight);
    try {
      const answer = await json("rows", { from: page * PAGE, count: PAGE, ...this.#question }, flight.signal);
      if (generation !== this.#generation) return;
      this.#flights.delete(page);
      this.#pages.set(page, answer.rows);
      for (const old of this.#pages.keys()) {
        if (this.#pages.size <= KEPT) break;
        this.#pages.delete(old);
      }
      this.#draw();
    } catch (error) {
      if (flight.signal.aborted || generation !== this.#generation) return;
      // It is not asked for again and again.
      this.#flights.delete(page);
      this.#pages.set(page, []);
      this.failed(error);
    }
  }

  /** The widths of columns, in letters. */
  #fit(rows) {
    const longest = Math.max(8, ...rows.map((row) => row.key.length));
    const width = (name) => (name === "key" ? Math.min(longest + 2, 36) : WIDTHS[name] ?? Math.max(9, name.length + 3));
    this.element.style.setProperty("--columns", this.#columns.map((name) => `${width(name)}ch`).join(" "));
  }

  #draw() {
    const end = Math.min(this.#total, this.#first + this.#visible);
    const pages = new Set();
    for (let index = this.#first; index < end; index += 1) pages.add(Math.floor(index / PAGE));
    const activePage = Math.floor(this.#active / PAGE);
    this.#end((page) => page !== activePage && !pages.has(page));
    for (const page of pages) this.#load(page);
    const rows = [];
    for (let index = this.#first; index < end; index += 1) rows.push(this.#line(index));
    this.element.ariaRowCount = this.#total;
    const isActiveShown = this.#active >= this.#first && this.#active < end;
    if (isActiveShown) this.element.setAttribute("aria-activedescendant", `row-${this.#active}`);
    else this.element.removeAttribute("aria-activedescendant");
    render(html`<div class="whole" role="presentation">
      <div class="head" role="rowgroup"><div class="line" role="row">${this.#columns.map((name) => this.#heading(name))}</div></div>
      <div class="rows" role="rowgroup">${rows}</div></div>`, this.element);
    this.element.firstElementChild.style.height = `${this.#height}px`;
  }

  #heading(name) {
    const { sort } = this.#question;
    const order = sort === name ? "ascending" : sort === `-${name}` ? "descending" : "none";
    return html`<div role="columnheader" tabindex="0" aria-sort=${order} data-testid="sort-${name}" data-column=${name}
      title="Sort by ${name}" @click=${() => this.sort(name)}>${name.replaceAll("_", " ")}</div>`;
  }

  #line(index) {
    const row = this.#row(index);
    const isOpen = row !== undefined && row.key === this.selected;
    const cells = this.#columns.map((name) => {
      const value = row?.[name];
      const text = row === undefined ? "" : Array.isArray(value) ? value.map(shown).join(", ") : figure(value);
      return html`<div role="gridcell" dir="auto" class=${typeof value === "number" ? "number" : nothing}>${text}</div>`;
    });
    return html`<div role="row" class="line ${index === this.#active ? "active" : ""}" id="row-${index}" aria-rowindex=${index + 1}
      aria-selected=${isOpen} data-testid=${row ? "row" : nothing} data-key=${row?.key ?? nothing}
      @click=${() => { this.#active = index; this.#choose(index, false); }}>${cells}</div>`;
  }
}
