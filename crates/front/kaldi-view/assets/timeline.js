// One utterance on one axis of time: waveform, spectrogram, tracks, cursor, player.

import { Tiles, address, begin, decibels, decimal, figure, json, numbers, shown, waiting } from "./api.js";
import { html, nothing, render } from "./lit-html.js";
import * as paint from "./paint.js";

/** Columns of one tile, and numbers of one. */
const TILE = 256, NUMBERS = 2 ** 20;
/** Windows of the spectrogram in ms, in the order of the key `b`. */
const WINDOWS = [25, 50, 5, 10];
/** The smallest part that is shown, in seconds. */
const SMALLEST = 0.004;
/** More segments than this are only painted if they are narrow. */
const SEGMENTS = 1000;

/** The height of a spectrogram in pixels, until it is known. */
const HEIGHT = 190;

/** Pictures are made of numbers, pixel by pixel, not by a graphics card. */
const CPU = { willReadFrequently: true };

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const isTable = (track) => !track.error && ["matrix", "posterior", "vector"].includes(track.kind);

export class Timeline {
  #panels = [];
  #labels = new Map();
  #scheduled;
  #drag;
  #running = false;
  #soundIsReady = () => {};
  #hover;
  #loading = new AbortController();
  #stopWaiting;
  #tiles = new Tiles(() => this.#schedule(), (error) => this.failed(error));
  window = WINDOWS[0];
  isDifference = false;
  /** Whether the waveform is as high as its peak, and the spectrogram has the colours of its own levels. */
  isOwnWave = false;
  isOwnSpectrum = false;

  /** `moved()` is called when another part is shown, `failed(error)` when something cannot be had. */
  constructor(element, { moved, failed }) {
    Object.assign(this, { element, moved, failed });
    this.player = document.createElement("audio");
    this.player.controls = true;
    this.player.dataset.testid = "player";
    this.player.setAttribute("aria-label", "Sound");
    for (const name of ["seeking", "timeupdate", "play", "pause", "ended"]) this.player.addEventListener(name, () => this.#heard());
    new ResizeObserver(() => this.#schedule()).observe(element);
    for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", () => this.#paint());
  }

  /** Shows an utterance, or nothing. All spectrograms have colours from `levels.low` to `levels.high`. */
  show(utterance, from, to, levels) {
    this.levels = levels;
    this.whole = undefined;
    this.#loading.abort();
    this.#loading = new AbortController();
    this.#labels.clear();
    this.#tiles.retry();
    this.#hover = undefined;
    this.utterance = utterance;
    this.time = 0;
    if (!utterance) {
      this.#panels = [];
      this.#tiles.finish();
      this.#busy();
      this.#sound(undefined);
      render(nothing, this.element);
      return;
    }
    const tracks = utterance.tracks.filter((track) => !track.error);
    const ends = tracks.filter((track) => track.frame_shift).map((track) => track.frames * track.frame_shift);
    this.duration = utterance.duration ?? Math.max(0, ...ends);
    if (!(this.duration > 0)) this.duration = 1;
    const tables = tracks.filter(isTable);
    this.first = tables.find((track) => tables.some((other) => other !== track && other.rows === track.rows))?.track;
    this.second = this.#partners(this.first)[0]?.track;
    if (this.first === undefined) this.isDifference = false;
    this.#panels = tracks.flatMap((track) => (track.kind === "wave"
      ? [{ kind: "waveform", id: "waveform", track }, { kind: "spectrogram", id: "spectrogram", track }]
      : [{ kind: isTable(track) ? (track.rows <= 3 ? "curves" : "heat") : "segments", id: `track-${track.track}`, track }]));
    this.#sound(tracks.some((track) => track.kind === "wave") ? utterance.key : undefined);
    this.look(from, to);
    this.time = this.from;
    if (this.time > 0) this.seek(this.time);
    this.#measureDifference();
    this.#template();
    this.#schedule();
  }

  /** Shows the part between two times; everything if they are `undefined`. */
  look(from = 0, to = this.duration) {
    const span = clamp(to - from, Math.min(SMALLEST, this.duration), this.duration);
    this.from = clamp(Number.isFinite(from) ? from : 0, 0, this.duration - span);
    this.to = this.from + (Number.isFinite(span) ? span : this.duration);
    this.#schedule();
  }

  get isWhole() {
    return this.to - this.from >= this.duration * (1 - 1e-9);
  }

  #go(from, to) {
    this.look(from, to);
    this.moved();
  }

  /** Makes the part that is shown larger or smaller, around the cursor if it is in sight. */
  zoom(factor, around = this.time >= this.from && this.time <= this.to ? this.time : (this.from + this.to) / 2) {
    if (!this.utterance) return;
    const span = clamp((this.to - this.from) * factor, Math.min(SMALLEST, this.duration), this.duration);
    const from = around - (around - this.from) / (this.to - this.from) * span;
    this.#go(clamp(from, 0, this.duration - span), clamp(from, 0, this.duration - span) + span);
  }

  /** Shows everything. */
  fit() {
    if (this.utterance) this.#go(0, this.duration);
  }

  /** Moves the cursor, and the sound with it. */
  seek(time) {
    if (!this.utterance) return;
    this.time = clamp(time, 0, this.duration);
    if (this.player.src) this.player.currentTime = this.time;
    this.#follow();
    this.#cursor();
  }

  /** Moves the cursor by so many hundredths of the part that is shown. */
  nudge(hundredths) {
    if (this.utterance) this.seek(this.time + (this.to - this.from) * hundredths / 100);
  }

  /** Plays from the cursor, or pauses. */
  toggle() {
    if (!this.player.src) return;
    if (!this.player.paused) this.player.pause();
    else this.player.play().catch((error) => this.failed(new Error(`The sound does not play: ${error.message}`)));
  }

  /** The next window of the spectrogram. */
  nextWindow() {
    this.#setWindow(WINDOWS[(WINDOWS.indexOf(this.window) + 1) % WINDOWS.length]);
  }

  #setWindow(window) {
    this.window = window;
    for (const panel of this.#panels) if (panel.kind === "spectrogram") panel.loudest = panel.low = panel.high = undefined;
    this.#template();
    this.#schedule();
  }

  /** The waveform is as high as its peak, or as full scale again. */
  toggleWaveScale() {
    if (!this.#panels.some(({ kind }) => kind === "waveform")) return;
    this.isOwnWave = !this.isOwnWave;
    this.#template();
    this.#schedule();
  }

  /** The spectrogram has the colours of its own levels, or those of all again. */
  toggleSpectrumScale() {
    this.isOwnSpectrum = !this.isOwnSpectrum;
    this.#template();
    this.#schedule();
  }

  /** Shows the difference of two tables in place of the first, or the first again. */
  toggleDifference() {
    if (this.first === undefined) return;
    this.isDifference = !this.isDifference;
    this.#compare();
  }

  #compare() {
    for (const panel of this.#panels) panel.low = panel.high = undefined;
    this.#measureDifference();
    this.#template();
    this.#schedule();
  }

  #partners(first) {
    const tables = this.utterance.tracks.filter(isTable);
    const rows = tables.find((track) => track.track === first)?.rows;
    return tables.filter((track) => track.track !== first && track.rows === rows);
  }

  /** The largest size of a difference in the whole utterance: it comes along with each tile. */
  async #measureDifference() {
    this.largest = undefined;
    if (!this.isDifference) return;
    const { first, second, utterance: { key } } = this;
    const done = begin();
    try {
      const url = address("tile", { key, track: first, from: 0, count: 1, pool: 1, other: second });
      const { largest } = await numbers(url, this.#loading.signal);
      if (first === this.first && second === this.second) this.largest = largest;
      this.#template();
    } catch (error) {
      if (error.name !== "AbortError") this.failed(error);
    } finally {
      done();
    }
  }

  #sound(key) {
    this.#soundIsReady();
    this.player.pause();
    if (key === undefined) {
      this.player.removeAttribute("src");
      this.player.load();
      this.player.hidden = true;
      return;
    }
    this.player.hidden = false;
    this.player.preload = "metadata";
    this.player.src = address("audio", { key });
    const done = begin();
    this.#soundIsReady = done;
    for (const name of ["loadedmetadata", "error"]) this.player.addEventListener(name, done, { once: true });
  }

  #heard() {
    if (!this.utterance || !this.player.src) return;
    if (this.player.seeking || !this.player.paused) this.time = clamp(this.player.currentTime, 0, this.duration);
    this.#cursor();
    if (this.#running || this.player.paused) return;
    this.#running = true;
    const step = () => {
      this.#running = !this.player.paused;
      if (!this.#running) return;
      this.time = clamp(this.player.currentTime, 0, this.duration);
      this.#follow();
      this.#cursor();
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  /** Turns the page if the cursor has left it. */
  #follow() {
    const span = this.to - this.from;
    if (this.time > this.to + 1e-9) this.#go(Math.min(this.time, this.duration - span), Math.min(this.time, this.duration - span) + span);
    else if (this.time < this.from - 1e-9) this.#go(Math.max(0, this.time - span * 0.9), Math.max(0, this.time - span * 0.9) + span);
  }

  #schedule() {
    if (this.#scheduled || !this.utterance) return;
    this.#scheduled = begin();
    requestAnimationFrame(() => {
      const done = this.#scheduled;
      this.#scheduled = undefined;
      try {
        this.#paint();
      } finally {
        done();
      }
    });
  }

  #paint() {
    if (!this.utterance) return;
    const style = getComputedStyle(document.documentElement);
    const inks = Object.fromEntries(["ink", "line", "wave", "curve-1", "curve-2", "curve-3"]
      .map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    const ratio = Math.min(2, devicePixelRatio || 1);
    const part = `${figure(this.from)} to ${figure(this.to)} s`;
    this.width = this.element.querySelector(".over")?.clientWidth || this.width;
    for (const canvas of this.element.querySelectorAll("canvas")) {
      const panel = this.#panels.find(({ id }) => id === canvas.dataset.testid);
      const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
      panel.height = canvas.clientHeight;
      if (width === 0 || height === 0) continue;
      this.#paintPanel(panel, canvas, width, height, inks);
      canvas.setAttribute("aria-label", `${panel.name}, ${part}`);
    }
    this.#measurePeak();
    this.#tiles.finish();
    this.#busy();
    this.#template();
  }

  /** Says that pictures are on their way. */
  #busy() {
    const isLoading = this.utterance !== undefined && this.#tiles.isLoading;
    if (isLoading === (this.#stopWaiting !== undefined)) return;
    this.#stopWaiting?.();
    const part = this.element.parentElement;
    this.#stopWaiting = isLoading ? waiting(part, part.querySelector(".loading"), (say) => say("Loading pictures …")) : undefined;
  }

  /** The largest size of a sample of the whole sound, as a share of full scale. */
  #measurePeak() {
    const panel = this.#panels.find(({ kind }) => kind === "waveform");
    if (!panel || this.whole !== undefined) return;
    if (this.isWhole) {
      if (panel.source && !panel.source.isPart) this.whole = panel.high ?? 0;
      return;
    }
    const { key } = this.utterance;
    const tile = this.#tiles.get(address("peaks", { key, from: 0, to: this.duration, width: 1 }));
    if (!tile) return;
    this.#range(tile);
    this.whole = Math.max(Math.abs(tile.low), Math.abs(tile.high));
  }

  /** What the full height of the waveform is. */
  get scale() {
    return this.isOwnWave && this.whole > 0 ? this.whole : 1;
  }

  #paintPanel(panel, canvas, width, height, inks) {
    const context = canvas.getContext("2d", CPU);
    const { track } = panel;
    const source = panel.kind === "segments" ? undefined : panel.kind === "waveform" ? this.#wave(panel, width) : this.#table(panel, width);
    // What was shown before stays, stretched, until its tiles are here.
    const before = source?.isPart && panel.span && canvas.width > 1 ? this.#copy(canvas) : undefined;
    Object.assign(canvas, { width, height });
    if (before) {
      const scale = width / (this.to - this.from);
      context.drawImage(before, (panel.span[0] - this.from) * scale, 0, (panel.span[1] - panel.span[0]) * scale, height);
    }
    panel.source = source;
    panel.span = [this.from, this.to];
    if (panel.kind === "waveform") {
      paint.wave(context, source, this.scale, inks.wave, inks.line);
    } else if (panel.kind === "segments") {
      this.#loadLabels(track.track);
      paint.segments(context, this.#inSight(track.track), this.from, this.to);
    } else if (source.rows === undefined || panel.low === undefined) {
      // No tile is here yet.
    } else if (panel.kind === "curves" && !panel.isDifference) {
      paint.curves(context, source, panel, [inks["curve-1"], inks["curve-2"], inks["curve-3"]]);
    } else {
      paint.heat(context, source, panel);
    }
  }

  #copy(canvas) {
    const copy = new OffscreenCanvas(canvas.width, canvas.height);
    copy.getContext("2d", CPU).drawImage(canvas, 0, 0);
    return copy;
  }

  /** Smallest and largest samples, as they are here, in steps of a power of two samples. */
  #wave(panel, width) {
    const { key, rate, channels } = this.utterance;
    const step = 2 ** Math.max(0, Math.floor(Math.log2((this.to - this.from) * rate / width)));
    const period = step / rate, span = TILE * 4;
    const count = Math.ceil(this.duration / period - 1e-6);
    const tiles = new Map();
    let isPart = false;
    for (let index = Math.floor(this.from / period / span); index * span < Math.min(count, this.to / period); index += 1) {
      const columns = Math.min(span, count - index * span);
      const from = index * span * period;
      const tile = this.#tiles.get(address("peaks", { key, from, to: from + columns * period, width: columns }));
      if (tile) {
        this.#range(tile);
        panel.high = Math.max(panel.high ?? 0, Math.abs(tile.low), Math.abs(tile.high));
        tiles.set(index, tile);
      }
      isPart ||= !tile;
    }
    const pair = (index, channel) => {
      const numbers = tiles.get(Math.floor(index / span))?.numbers;
      const at = ((index % span) * channels + channel) * 2;
      return numbers && at + 1 < numbers.length ? [numbers[at], numbers[at + 1]] : undefined;
    };
    return { channels, period, from: this.from, to: this.to, pair, isPart };
  }

  /** Columns of a table or of the spectrogram, as they are here, each the maximum of a power of two frames. */
  #table(panel, width) {
    const { track } = panel;
    const isSound = panel.kind === "spectrogram";
    const isDifference = this.isDifference && track.track === this.first;
    const seconds = (this.to - this.from) / width;
    const milliseconds = this.#milliseconds(seconds * 1000), { rate } = this.utterance;
    // A shift is so many whole samples.
    const shift = isSound ? Math.floor(rate * 0.001 * milliseconds) / rate : track.frame_shift;
    const frames = isSound ? Math.floor(this.duration / shift + 0.5) : track.frames;
    const pool = 2 ** Math.max(0, Math.floor(Math.log2(seconds / shift)));
    const period = shift * pool, count = Math.ceil(frames / pool);
    const extra = isSound ? { window: this.window, shift: milliseconds } : { other: isDifference ? this.second : undefined };
    const size = clamp(Math.floor(NUMBERS / track.rows), 1, TILE);
    const tiles = new Map();
    let isPart = false, rows;
    for (let index = Math.floor(this.from / period / size); index * size < Math.min(count, this.to / period); index += 1) {
      const columns = Math.min(size, count - index * size);
      const tile = this.#tiles.get(address("tile", { key: this.utterance.key, track: track.track, from: index * size * pool, count: columns, pool, ...extra }));
      isPart ||= !tile;
      if (!tile?.columns) continue;
      this.#range(tile);
      if (isSound) {
        panel.loudest = Math.max(panel.loudest ?? -Infinity, tile.high);
      } else {
        panel.low = Math.min(panel.low ?? Infinity, tile.low);
        panel.high = Math.max(panel.high ?? -Infinity, tile.high);
      }
      tiles.set(index, tile);
      rows = tile.rows;
    }
    if (isSound && panel.loudest !== undefined) {
      const { low, high } = this.levels;
      panel.high = this.isOwnSpectrum ? panel.loudest : high;
      panel.low = panel.high - (high - low);
    }
    panel.isDifference = isDifference;
    if (isDifference && panel.low !== undefined) {
      panel.high = Math.max(Math.abs(panel.low), Math.abs(panel.high));
      panel.low = -panel.high;
    }
    const column = (index) => {
      const tile = tiles.get(Math.floor(index / size));
      const at = index % size;
      return tile && at < tile.columns ? tile.numbers.subarray(at * tile.rows, (at + 1) * tile.rows) : undefined;
    };
    return { rows, period, from: this.from, to: this.to, column, isPart };
  }

  /** Milliseconds from one frame of the spectrogram to the next: no part of the sound is between two windows. */
  #milliseconds(ofPixel) {
    const most = Math.min(10, this.window / 2);
    return ofPixel >= most ? most : [5, 2].find((shift) => shift <= Math.min(most, ofPixel)) ?? 1;
  }

  /** The finite numbers of a tile are between `low` and `high`. */
  #range(tile) {
    if (tile.low !== undefined) return;
    let low = Infinity, high = -Infinity;
    for (const value of tile.numbers) {
      if (value < low && value > -Infinity) low = value;
      if (value > high && value < Infinity) high = value;
    }
    Object.assign(tile, low > high ? { low: 0, high: 0 } : { low, high });
  }

  async #loadLabels(track) {
    if (this.#labels.has(track)) return;
    this.#labels.set(track, []);
    try {
      const list = await json("labels", { key: this.utterance.key, track }, this.#loading.signal);
      this.#labels.set(track, list);
      this.#schedule();
    } catch (error) {
      if (error.name !== "AbortError") this.failed(error);
    }
  }

  /** The segments that are at least partly shown. */
  #inSight(track) {
    return (this.#labels.get(track) ?? []).filter(([begin, end]) => end > this.from && begin < this.to);
  }

  #labelAt(track, time) {
    return this.#labels.get(track)?.find(([begin, end]) => begin <= time && time < end)?.[2];
  }

  #caption(panel) {
    const { track, low, high } = panel;
    if (panel.kind === "waveform") {
      panel.name = "Waveform";
      const peak = this.whole === undefined ? "" : `, peak ${decibels(this.whole)}`;
      return html`Waveform · <span data-testid="wave-label">${this.isOwnWave ? "scaled to the peak" : "full scale"}${peak}</span>
        <button type="button" data-testid="wave-scale" aria-keyshortcuts="w" aria-pressed=${this.isOwnWave}
          @click=${() => this.toggleWaveScale()}>Own peak</button>`;
    }
    if (panel.kind === "spectrogram") {
      panel.name = "Spectrogram";
      return html`Spectrogram, windows of ${this.window} ms · ${this.#bar(this.#levels(panel), "dB", "colour-bar")}
        <button type="button" data-testid="spectrum-scale" aria-pressed=${this.isOwnSpectrum}
          @click=${() => this.toggleSpectrumScale()}>Own range</button>`;
    }
    const other = this.utterance.tracks.find(({ track: number }) => number === this.second);
    const difference = this.isDifference && track.track === this.first;
    const name = difference ? `${shown(track.name)} − ${shown(other.name)}` : shown(track.name);
    panel.name = difference ? `Difference of ${shown(track.name)} and ${shown(other.name)}` : `${track.kind} ${name}`;
    const shift = track.frame_shift ? `, frames of ${figure(track.frame_shift * 1000)} ms${track.guessed ? " (a guess)" : ""}` : "";
    const columns = isTable(track) ? `, ${track.rows} ${track.rows === 1 ? "column" : "columns"}` : "";
    const frames = track.frames && track.kind !== "segments" ? `, ${track.frames} frames` : "";
    const isCurves = panel.kind === "curves" && !panel.isDifference;
    const range = low === undefined ? nothing : isCurves ? `, ${figure(low)} to ${figure(high)}` : html` · ${this.#bar({ low, high }, "", undefined, panel.isDifference)}`;
    return html`${name}: ${track.kind}${columns}${frames}${shift}${range}`;
  }

  /** The levels between which a spectrogram has colours. */
  #levels({ low, high }) {
    return low === undefined ? this.levels : { low, high };
  }

  /** What the colours mean. */
  #bar({ low, high }, unit, name, isDifference) {
    const number = (value) => (unit ? `${decimal(value, 0)} ${unit}` : figure(value));
    return html`<span class="bar" data-testid=${name ?? nothing}>${number(low)} <span class="colours ${isDifference ? "difference" : ""}"></span> ${number(high)}</span>`;
  }

  /** Frequencies beside the spectrogram. */
  #frequencies(panel) {
    const ticks = paint.frequencyTicks(this.utterance.rate / 2, panel.height ?? HEIGHT);
    return html`<div class="scale" data-testid="frequency-axis" role="img" aria-label="Frequency, 0 to ${this.utterance.rate / 2} Hz">${ticks.map(({ text, at, bottom }) => html`<span class="stroke"
      .style=${`bottom:${at}px`}></span><span data-testid="tick" .style=${`bottom:${bottom}px`}>${text}</span>`)}</div>`;
  }

  /** The axis of time, below all pictures. */
  #times() {
    const ticks = paint.timeTicks(this.from, this.to, this.width ?? 600);
    return html`<div class="times" data-testid="time-axis" role="img" aria-label="Time, ${figure(this.from)} to ${figure(this.to)} s">${ticks.map(({ text, at, left, size }) => html`<span class="stroke"
      .style=${`left:${at}px`}></span><span data-testid="tick" .style=${`left:${left}px;width:${size}px`}>${text}</span>`)}</div>`;
  }

  #template() {
    if (!this.utterance) return;
    const { first, second } = this;
    const names = (list, chosen) => list.map(({ track, name }) => html`<option value=${track} .selected=${track === chosen}>${shown(name)}</option>`);
    const tables = this.utterance.tracks.filter((track) => isTable(track) && this.#partners(track.track).length > 0);
    const largest = this.isDifference && this.largest !== undefined ? `: at most ${figure(this.largest)}` : "";
    const choose = (name) => (event) => {
      this[name] = Number(event.target.value);
      if (!this.#partners(this.first).some(({ track }) => track === this.second)) this.second = this.#partners(this.first)[0].track;
      this.#compare();
    };
    const levels = (panel) => (panel.kind === "spectrogram" ? this.#levels(panel) : {});
    render(html`
      <div class="tools" role="toolbar" aria-label="Time axis">
        <button type="button" data-testid="zoom-in" aria-label="Zoom in" aria-keyshortcuts="+" @click=${() => this.zoom(1 / 2)}>+</button>
        <button type="button" data-testid="zoom-out" aria-label="Zoom out" aria-keyshortcuts="-" @click=${() => this.zoom(2)}>−</button>
        <button type="button" data-testid="zoom-fit" aria-keyshortcuts="0" @click=${() => this.fit()}>Show all</button>
        ${this.player.hidden ? nothing : html`<label>Window <select data-testid="window" @change=${(event) => this.#setWindow(Number(event.target.value))}>
          ${[5, 10, 25, 50].map((size) => html`<option value=${size} .selected=${size === this.window}>${size} ms</option>`)}</select></label>`}
        ${first === undefined ? nothing : html`
          <button type="button" data-testid="difference" aria-keyshortcuts="d" aria-pressed=${this.isDifference}
            @click=${() => this.toggleDifference()}>Difference${largest}</button>
          ${tables.length <= 2 ? nothing : html`
            <label>of <select @change=${choose("first")}>${names(tables, first)}</select></label>
            <label>and <select @change=${choose("second")}>${names(this.#partners(first), second)}</select></label>`}`}
      </div>
      <p data-testid="readout" class="readout"></p>
      <div class="panels" @click=${(event) => this.#clicked(event)} @pointerdown=${(event) => this.#down(event)}
        @pointermove=${(event) => this.#over(event)} @pointerup=${(event) => this.#up(event)} @pointercancel=${() => this.#drop()}
        @pointerleave=${() => this.#leave()} @wheel=${{ handleEvent: (event) => this.#wheeled(event), passive: false }}>
        ${this.#panels.map((panel) => html`<figure class=${panel.kind}>
          <figcaption>${this.#caption(panel)}</figcaption>
          <div class="picture"><canvas data-testid=${panel.id} role="img" aria-label=${panel.name} data-scale=${panel.kind === "waveform" ? this.scale : nothing}
            data-low=${levels(panel).low ?? nothing} data-high=${levels(panel).high ?? nothing}></canvas>
          ${panel.kind === "spectrogram" ? this.#frequencies(panel) : nothing}
          ${panel.kind === "segments" ? this.#segments(panel) : nothing}</div></figure>`)}
        <div class="over"><div class="mark" hidden></div><div class="cursor" data-testid="cursor"></div></div>
      </div>
      ${this.#times()}
      ${this.isWhole ? nothing : html`<input type="range" class="along" aria-label="Part that is shown" min="0" step="any"
        .max=${this.duration - (this.to - this.from)} .value=${this.from} aria-valuetext=${`from ${figure(this.from)} to ${figure(this.to)} s`}
        @input=${(event) => this.#go(Number(event.target.value), Number(event.target.value) + this.to - this.from)}>`}`, this.element);
    this.#cursor();
  }

  #segments({ track }) {
    const scale = 100 / (this.to - this.from);
    let list = this.#inSight(track.track);
    if (list.length > SEGMENTS) list = list.filter(([begin, end]) => (end - begin) * scale > 0.4).slice(0, SEGMENTS);
    return html`<div class="segments">${list.map(([begin, end, label]) => {
      const left = Math.max(0, (begin - this.from) * scale), right = Math.min(100, (end - this.from) * scale);
      return html`<span data-testid="segment" data-begin=${begin} data-end=${end}
        .style=${`left:${left}%;width:${right - left}%;background:${paint.colourOf(label)}`}>${shown(label)}</span>`;
    })}</div>`;
  }

  /** The cursor moves without anything else being drawn. */
  #cursor() {
    const cursor = this.element.querySelector(".cursor");
    if (!cursor) return;
    cursor.dataset.time = this.time.toFixed(3);
    this.element.querySelector(".readout").textContent = this.#readout();
    const share = (this.time - this.from) / (this.to - this.from);
    cursor.hidden = share < 0 || share > 1;
    cursor.style.left = `${clamp(share, 0, 1) * 100}%`;
    const mark = this.element.querySelector(".mark");
    mark.hidden = !this.#drag?.isMoved;
    if (!mark.hidden) {
      const [left, right] = [this.#drag.from, this.#drag.to].sort((one, other) => one - other);
      mark.style.left = `${left * 100}%`;
      mark.style.width = `${(right - left) * 100}%`;
    }
  }

  /** What is under the pointer, else at the cursor. */
  #readout() {
    const time = this.#hover?.time ?? this.time;
    const parts = [`${time.toFixed(3)} s`];
    const panel = this.#hover?.panel;
    const column = panel?.source?.column?.(Math.floor(time / panel.source.period));
    if (panel?.kind === "spectrogram") {
      const frequency = this.#hover.height * this.utterance.rate / 2;
      parts.push(`${Math.round(frequency)} Hz`);
      if (column) parts.push(`${decimal(column[Math.min(column.length - 1, Math.floor(this.#hover.height * column.length))], 1)} dB`);
    } else if (panel?.kind === "waveform") {
      for (let channel = 0; channel < this.utterance.channels; channel += 1) {
        const pair = panel.source?.pair(Math.floor(time / panel.source.period), channel);
        if (pair?.every(Number.isFinite)) parts.push([...new Set(pair.map((sample) => decimal(sample, 3)))].join(" to "));
      }
    } else if (column) {
      const row = Math.min(column.length - 1, Math.floor(this.#hover.height * column.length));
      parts.push(`frame ${Math.floor(time / panel.track.frame_shift)}`);
      if (panel.kind === "curves") parts.push([...column].map((value) => figure(value)).join(", "));
      else parts.push(`column ${panel.track.indices?.[row] ?? row}`, Number.isFinite(column[row]) ? figure(column[row]) : String(column[row]));
    }
    for (const { kind, track } of this.#panels) {
      const label = kind === "segments" ? this.#labelAt(track.track, time) : undefined;
      if (label !== undefined) parts.push(`${shown(track.name)}: ${shown(label)}`);
    }
    return parts.join(" · ");
  }

  #share(event) {
    const box = this.element.querySelector(".over").getBoundingClientRect();
    return clamp((event.clientX - box.left) / box.width, 0, 1);
  }

  #timeAt(share) {
    return this.from + share * (this.to - this.from);
  }

  #clicked(event) {
    if (this.#drag?.isDone) this.#drag = undefined;
    else if (event.target.closest("figcaption") === null) this.seek(this.#timeAt(this.#share(event)));
  }

  #down(event) {
    this.#drag = undefined;
    if (event.button === 0 && event.pointerType !== "touch" && event.target.closest("figcaption") === null) this.#drag = { from: this.#share(event), x: event.clientX };
  }

  #over(event) {
    const canvas = event.target.closest(".picture")?.querySelector("canvas");
    const box = canvas?.getBoundingClientRect();
    const panel = this.#panels.find(({ id }) => id === canvas?.dataset.testid);
    this.#hover = { time: this.#timeAt(this.#share(event)), panel, height: box ? clamp(1 - (event.clientY - box.top) / box.height, 0, 1) : 0 };
    if (this.#drag && !this.#drag.isDone && event.buttons & 1) {
      this.#drag.to = this.#share(event);
      this.#drag.isMoved ||= Math.abs(event.clientX - this.#drag.x) > 4;
      if (this.#drag.isMoved && !event.currentTarget.hasPointerCapture(event.pointerId)) event.currentTarget.setPointerCapture(event.pointerId);
    }
    this.#cursor();
  }

  #up() {
    if (!this.#drag?.isMoved) return;
    const [from, to] = [this.#drag.from, this.#drag.to].map((share) => this.#timeAt(share)).sort((one, other) => one - other);
    // The click that follows is not one.
    this.#drag = { isDone: true };
    this.#go(from, to);
  }

  #drop() {
    this.#drag = undefined;
    this.#cursor();
  }

  #leave() {
    this.#hover = undefined;
    this.#cursor();
  }

  #wheeled(event) {
    const along = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
    if (event.ctrlKey) this.zoom(Math.exp(clamp(event.deltaY, -200, 200) / 300), this.#timeAt(this.#share(event)));
    else if (along && !this.isWhole) {
      const span = this.to - this.from;
      const from = clamp(this.from + along / this.width * span, 0, this.duration - span);
      this.#go(from, from + span);
    } else return;
    event.preventDefault();
  }
}
