// Requests to the server, tiles that are kept, and whether anything is under way.

const page = document.documentElement;
let pending = 0;

/** Something starts; the function that is returned ends it. `data-ready` of the page is 1 when nothing is under way. */
export function begin() {
  pending += 1;
  page.dataset.ready = "0";
  let open = true;
  return () => {
    if (!open) return;
    open = false;
    pending -= 1;
    // What has just ended often starts the next thing at once.
    setTimeout(() => { if (pending === 0) page.dataset.ready = "1"; });
  };
}

/** What the server says about a request that it cannot answer; `said` has all of it, such as the `column` and names `like` it. */
export class Failure extends Error {
  constructor(message, said = {}) {
    super(message);
    this.said = said;
  }
}

/** Time in ms after which it is said that something is loaded. */
const PATIENCE = 300;

/** Says in `place` that something is loaded if it takes a while; `part` is busy meanwhile. The function that is returned ends it. */
export function waiting(part, place, told) {
  const ended = new AbortController();
  part.setAttribute("aria-busy", "true");
  part.waiting = ended;
  const say = (text) => {
    if (!ended.signal.aborted) place.textContent = text;
  };
  const timer = setTimeout(() => {
    place.dataset.testid = "loading";
    place.setAttribute("role", "status");
    told(say, ended.signal);
  }, PATIENCE);
  return () => {
    clearTimeout(timer);
    ended.abort();
    // Another one may wait in its place.
    if (part.waiting !== ended) return;
    part.setAttribute("aria-busy", "false");
    for (const name of ["data-testid", "role"]) place.removeAttribute(name);
    place.textContent = "";
  };
}

/** The address of a request; parameters without a value are left out. */
export function address(path, parameters = {}) {
  const query = Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return query.length ? `api/${path}?${query.join("&")}` : `api/${path}`;
}

async function ask(url, signal, read) {
  const done = begin();
  try {
    let response;
    try {
      response = await fetch(url, { signal });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Failure("The server does not answer. Does table-view still run?");
    }
    if (!response.ok) {
      const body = await response.json().catch(() => ({}));
      throw new Failure(body.error ?? `The server answers with status ${response.status}.`, body);
    }
    return await read(response);
  } finally {
    done();
  }
}

/** An answer in JSON. A `Failure` if there is none; whatever `fetch` throws if `signal` ends it. */
export const json = (path, parameters, signal) => ask(address(path, parameters), signal, (response) => response.json());

/** Numbers that were fetched, their shape, `columns` times `rows`, and of a difference its largest size. */
async function readNumbers(response) {
  const shape = response.headers.get("X-Shape")?.split(",").map(Number) ?? [];
  const largest = response.headers.has("X-Largest") ? Number(response.headers.get("X-Largest")) : undefined;
  return { numbers: new Float32Array(await response.arrayBuffer()), columns: shape[0], rows: shape[1], largest };
}

/** An answer in numbers. */
export const numbers = (url, signal) => ask(url, signal, readNumbers);

/** As many bytes of tiles are kept. */
const KEPT = 96e6;

/** Tiles by their address. The last used are kept; requests that nobody wants any more are ended. */
export class Tiles {
  #kept = new Map();
  #bytes = 0;
  #flying = new Map();
  #wanted = new Set();

  /** `arrived()` is called after each tile, `failed(error)` after each that cannot be had. */
  constructor(arrived, failed) {
    this.arrived = arrived;
    this.failed = failed;
  }

  /** Whether some are on their way. */
  get isLoading() {
    return this.#flying.size > 0;
  }

  /** The tile, or `undefined` if it is not here yet: it is on its way then. */
  get(url) {
    this.#wanted.add(url);
    const tile = this.#kept.get(url);
    if (tile) {
      this.#kept.delete(url);
      this.#kept.set(url, tile);
    } else if (!this.#flying.has(url)) {
      this.#load(url);
    }
    return tile?.numbers ? tile : undefined;
  }

  /** A round of drawing ends: requests of older rounds that it did not want are ended. */
  finish() {
    for (const [url, flight] of this.#flying) {
      if (!this.#wanted.has(url)) {
        this.#flying.delete(url);
        flight.abort();
      }
    }
    this.#wanted.clear();
  }

  async #load(url) {
    const flight = new AbortController();
    this.#flying.set(url, flight);
    let tile;
    try {
      tile = await numbers(url, flight.signal);
    } catch (error) {
      if (flight.signal.aborted) return;
      // It is not asked for again and again.
      tile = {};
      this.failed(error);
    }
    this.#flying.delete(url);
    this.#kept.set(url, tile);
    this.#bytes += tile.numbers?.byteLength ?? 0;
    for (const [old, dropped] of this.#kept) {
      if (this.#bytes <= KEPT || old === url) break;
      this.#kept.delete(old);
      this.#bytes -= dropped.numbers?.byteLength ?? 0;
    }
    this.arrived();
  }

  /** Tiles that could not be had are asked for again. */
  retry() {
    for (const [url, tile] of this.#kept) if (!tile.numbers) this.#kept.delete(url);
  }
}

/** Text with its control and direction characters made visible: they would hide or reorder what is around them. */
export function shown(text) {
  return String(text).replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u{${character.codePointAt(0).toString(16)}}`);
}

/** A number for people: four digits that count, whole numbers as they are. */
export function figure(value) {
  if (typeof value !== "number") return value === null || value === undefined ? "" : shown(value);
  if (Number.isInteger(value)) return signed(String(value));
  const size = Math.abs(value);
  return signed(size >= 1e6 || size < 1e-4 ? value.toExponential(3) : String(Number(value.toPrecision(4))));
}

/** A minus sign as printers have it; zero has none. */
const signed = (text) => (/[1-9]/.test(text) ? text.replace("-", "−") : text.replace(/^-/, ""));

/** A number with so many decimals. */
export const decimal = (value, decimals) => signed(value.toFixed(decimals));

/** A number of a column, as the server words it (`factor`, `decimals`); without a unit. */
export const worded = (value, { factor = 1, decimals }) => (decimals === undefined ? figure(value) : decimal(value * factor, decimals));

/** A level in dB of a share of full scale. */
export const decibels = (share) => (share > 0 ? `${decimal(20 * Math.log10(share), 1)} dB` : "−∞ dB");

/** A length of time in words. */
export function timeInWords(seconds) {
  if (seconds < 60) return `${decimal(seconds, 2)} s`;
  const two = (number) => String(number).padStart(2, "0");
  const whole = Math.round(seconds), minutes = Math.round(seconds / 60);
  return whole < 3600 ? `${Math.floor(whole / 60)} min ${two(whole % 60)} s` : `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}
