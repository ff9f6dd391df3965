// Pictures of columns of numbers: heat maps, curves, waveforms, coloured segments; and round numbers for axes.

/** Colours of a difference from negative to positive, and of what is no number. */
const BELOW_TO_ABOVE = ["053061", "4393c3", "f7f7f7", "d6604d", "67001f"].map((stop) => [0, 2, 4].map((at) => parseInt(stop.slice(at, at + 2), 16)));
const NOT_FINITE = pixel([255, 0, 255]);

function pixel([red, green, blue]) {
  return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
}

function ramp(colours) {
  return Uint32Array.from({ length: 256 }, (_, index) => {
    const place = index / 255 * (colours.length - 1);
    const left = Math.min(Math.floor(place), colours.length - 2);
    return pixel(colours[left].map((from, part) => Math.round(from + (colours[left + 1][part] - from) * (place - left))));
  });
}

const DIFFERENCE = ramp(BELOW_TO_ABOVE);
let heatColours = DIFFERENCE;

/** The colours of a heat map from low to high, for pictures and for bars beside them. */
export function setColours(colours) {
  heatColours = ramp(colours);
  document.documentElement.style.setProperty("--heat", `linear-gradient(to right, ${colours.map((colour) => `rgb(${colour.join(" ")})`).join(", ")})`);
}

/** The number of two that is shown if they share a pixel: what is no number before all, then the larger one. */
const larger = (best, value) => (best !== best || value <= best ? best : value);
const further = (best, value) => (best !== best || Math.abs(value) <= Math.abs(best) ? best : value);

/** The columns of `source` that a pixel column shows, reduced into `values`; whether there are any. */
function reduce(source, x, width, values, pick) {
  const perPixel = (source.to - source.from) / source.period / width;
  const start = source.from / source.period + x * perPixel;
  const end = Math.max(Math.floor(start) + 1, Math.ceil(start + perPixel - 1e-6));
  let isAny = false;
  for (let index = Math.floor(start); index < end; index += 1) {
    const column = source.column(index);
    if (!column) continue;
    if (isAny) for (let row = 0; row < values.length; row += 1) values[row] = pick(values[row], column[row]);
    else values.set(column);
    isAny = true;
  }
  return isAny;
}

/** A heat map; row 0 is at the bottom. `source` has `column(index)`, `rows`, `period` of a column, `from` and `to` in seconds. */
export function heat(context, source, { low, high, isDifference }) {
  const { width, height } = context.canvas;
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const values = new Float32Array(source.rows);
  const colours = isDifference ? DIFFERENCE : heatColours;
  const pick = isDifference ? further : larger;
  const scale = high > low ? 255 / (high - low) : 0;
  const middle = high > low ? 0 : 127;
  for (let x = 0; x < width; x += 1) {
    if (!reduce(source, x, width, values, pick)) continue;
    for (let y = 0; y < height; y += 1) {
      const row = Math.floor((height - 1 - y) / height * source.rows);
      const end = Math.max(row + 1, Math.floor((height - y) / height * source.rows));
      let value = values[row];
      for (let next = row + 1; next < end; next += 1) value = pick(value, values[next]);
      pixels[y * width + x] = Number.isFinite(value)
        ? colours[Math.min(255, Math.max(0, Math.round(middle + (value - low) * scale)))] : NOT_FINITE;
    }
  }
  context.putImageData(image, 0, 0);
}

/** A curve for each row. */
export function curves(context, source, { low, high }, inks) {
  const { width, height } = context.canvas;
  const values = new Float32Array(source.rows);
  const level = (value) => height - 3 - (high > low ? (value - low) / (high - low) : 0.5) * (height - 6);
  const paths = Array.from({ length: source.rows }, () => new Path2D());
  const faults = new Path2D();
  let isPen = false;
  for (let x = 0; x < width; x += 1) {
    const isAny = reduce(source, x, width, values, larger);
    for (let row = 0; isAny && row < source.rows; row += 1) {
      if (!Number.isFinite(values[row])) faults.rect(x, 0, 1, height);
      else if (isPen) paths[row].lineTo(x, level(values[row]));
      else paths[row].moveTo(x, level(values[row]));
    }
    isPen = isAny;
  }
  context.fillStyle = "#ff00ff";
  context.fill(faults);
  context.lineWidth = Math.max(1.5, devicePixelRatio);
  paths.forEach((path, row) => {
    context.strokeStyle = inks[row % inks.length];
    context.stroke(path);
  });
}

/** A waveform: `source.pairs(index, channel)` is the smallest and largest sample of a column. Channels are one below the other. */
export function wave(context, source, peak, ink, line) {
  const { width, height } = context.canvas;
  const lane = height / source.channels;
  const perPixel = (source.to - source.from) / source.period / width;
  for (let channel = 0; channel < source.channels; channel += 1) {
    const level = (value) => lane * (channel + 0.5) - value / peak * (lane / 2 - 1);
    context.fillStyle = line;
    context.fillRect(0, Math.round(level(0)), width, 1);
    context.fillStyle = ink;
    let last;
    for (let x = 0; x < width; x += 1) {
      const start = source.from / source.period + x * perPixel;
      const end = Math.max(Math.floor(start) + 1, Math.ceil(start + perPixel - 1e-6));
      let low = Infinity, high = -Infinity;
      for (let index = Math.floor(start); index < end; index += 1) {
        const pair = source.pair(index, channel);
        if (!pair) continue;
        low = Math.min(low, pair[0]);
        high = Math.max(high, pair[1]);
      }
      if (Number.isNaN(low)) {
        context.fillStyle = "#ff00ff";
        context.fillRect(x, lane * channel, 1, lane);
        context.fillStyle = ink;
        last = undefined;
        continue;
      }
      if (low > high) {
        last = undefined;
        continue;
      }
      // Side by side without a gap, however steep it is.
      const top = level(last ? Math.max(high, last[0]) : high), bottom = level(last ? Math.min(low, last[1]) : low);
      context.fillRect(x, top, 1, Math.max(1.2, bottom - top));
      last = [low, high];
    }
  }
}

/** A colour of its own for each label, light enough for dark letters. */
export function colourOf(label) {
  let hash = 7;
  for (const character of String(label)) hash = (hash * 31 + character.codePointAt(0)) % 9973;
  return `hsl(${hash * 137 % 360} 65% 78%)`;
}

/** Segments [begin, end, label] in seconds. */
export function segments(context, list, from, to) {
  const { width, height } = context.canvas;
  const scale = width / (to - from);
  for (const [begin, end, label] of list) {
    context.fillStyle = colourOf(label);
    context.fillRect((begin - from) * scale, 0, Math.max(1, (end - begin) * scale), height);
  }
}

/** The next of 1, 2, 5, 10, ... */
export function stepOf(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= least * 0.999);
}

/** Digits after the point that numbers with this step need. */
export const decimalsOf = (step) => Math.max(0, -Math.floor(Math.log10(step) + 1e-9));

const rulers = new OffscreenCanvas(1, 1).getContext("2d");

/** Pixels of a small text of an axis. */
function widthOf(text) {
  rulers.font = "11px system-ui, sans-serif";
  return Math.ceil(rulers.measureText(text).width) + 2;
}

/** Ticks of an axis of time that is `width` pixels wide: the text, where it starts, its width, and where its time is. The first one
 * is at the start; all are within the axis, and none touches another. */
export function timeTicks(from, to, width) {
  const step = stepOf((to - from) / Math.max(1, width / 80));
  const decimals = decimalsOf(step);
  const ticks = [];
  const place = (time, digits) => {
    const text = `${time.toFixed(digits)} s`, size = widthOf(text);
    const at = (time - from) / (to - from) * width;
    return { text, size, at, left: Math.min(width - size, Math.max(0, at - size / 2)) };
  };
  const isRound = Math.abs(from / step - Math.round(from / step)) < 1e-6;
  ticks.push(place(from, isRound ? decimals : Math.max(decimals, Math.min(4, decimals + 1))));
  for (let index = Math.floor(from / step + 1e-6) + 1; index * step <= to + 1e-9; index += 1) {
    const tick = place(index * step, decimals), last = ticks.at(-1);
    if (tick.left > last.left + last.size + 8) ticks.push(tick);
  }
  return ticks;
}

/** Ticks of an axis of frequencies that is `height` pixels high, from 0 on: the text, and where it and its frequency are above the
 * bottom. */
export function frequencyTicks(highest, height) {
  const step = stepOf(highest / Math.max(1, height / 30));
  const isKilo = highest >= 2000, decimals = isKilo ? decimalsOf(step / 1000) : decimalsOf(step);
  const ticks = [];
  for (let index = 0; index * step <= highest + 1e-6; index += 1) {
    const at = index * step / highest * height;
    const text = isKilo && index > 0 ? `${(index * step / 1000).toFixed(decimals)} kHz` : `${(index * step).toFixed(isKilo ? 0 : decimals)} Hz`;
    const bottom = Math.min(height - LETTER, Math.max(0, at - LETTER / 2));
    if (ticks.length === 0 || bottom >= ticks.at(-1).bottom + LETTER + 2) ticks.push({ text, at, bottom });
  }
  return ticks;
}

/** The height of a line of an axis in pixels, as in style.css. */
const LETTER = 14;
