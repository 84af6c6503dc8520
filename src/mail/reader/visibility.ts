/**
 * Whether an element and its text can be seen, by what its styles may be. A property can have several possible values,
 * where it is not known which rule is in force; only what is visible by all of them is visible. Erasable syntax only.
 */

import { over, readColor } from './colors.ts';
import type { Color } from './colors.ts';
import { COLORS, DIMENSIONS, HARMLESS_VALUES, KNOWN, OVERFLOWS, SIDES } from './properties.ts';

export type Verdict = 'visible' | 'unknown' | 'hidden';

/** Possible values of a property, in the order of their priority; `?` is one that nobody here understands. */
export type Values = (name: string) => readonly string[];

/** What the text below an element is painted with. */
export interface Paint {
  /** Of everything around it: nothing below can be seen better. */
  readonly box: Verdict;
  readonly visibility: Verdict;
  /** Pixels. */
  readonly fontSize: number | undefined;
  readonly spacing: Verdict;
  readonly color: Color | 'none' | undefined;
  readonly background: Color | undefined;
}

export const START: Paint = {
  box: 'visible',
  visibility: 'visible',
  fontSize: 16,
  spacing: 'visible',
  color: [0, 0, 0],
  background: [255, 255, 255],
};

function worst(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('hidden')) return 'hidden';
  return verdicts.includes('unknown') ? 'unknown' : 'visible';
}

/** What several possible values come to. */
function together(values: readonly string[], judge: (value: string) => Verdict): Verdict {
  const verdicts = new Set(values.map((value) => (value === '?' ? 'unknown' : judge(value))));
  const [first = 'visible'] = verdicts;
  return verdicts.size > 1 ? 'unknown' : first;
}

/** The paint of what is in an element, by the paint of what it is in. */
export function paintOf(
  values: Values,
  names: Iterable<string>,
  above: Paint,
  width: number,
): Paint {
  const fontSize = fontSizeOf(values('font-size'), above.fontSize, width);
  const em = fontSize ?? 16;
  const boxes = [above.box, boxOf(values, em, width)];
  for (const name of names) {
    if (Object.hasOwn(HARMLESS_VALUES, name)) {
      boxes.push(together(values(name), (value) => judgeOther(name, value)));
    } else if (!Object.hasOwn(KNOWN, name) && !COLORS.has(name) && name !== 'background-image') {
      boxes.push('unknown');
    }
  }
  const inherited = (
    list: readonly string[],
    verdict: Verdict,
    judge: (value: string) => Verdict,
  ) =>
    list.length === 0
      ? verdict
      : together(list, (value) => (/^(?:inherit|unset)$/.test(value) ? verdict : judge(value)));
  const spacings = ['letter-spacing', 'word-spacing', 'text-indent', 'line-height'].map((name) =>
    together(values(name), (value) => judgeSpacing(name, value, em, width)),
  );
  const fill = values('-webkit-text-fill-color');
  return {
    box: worst(boxes),
    visibility: inherited(values('visibility'), above.visibility, (value) =>
      /^(?:visible|initial)$/.test(value) ? 'visible' : 'hidden',
    ),
    fontSize,
    spacing: worst([above.spacing, ...spacings]),
    color: colorOf(
      fill.length > 0 && !fill.includes('currentcolor') ? fill : values('color'),
      above,
    ),
    background: backgroundBelow(values, above),
  };
}

/** Whether text of this paint can be seen. */
export function verdictOf({
  box,
  visibility,
  fontSize,
  spacing,
  color,
  background,
}: Paint): Verdict {
  const size: Verdict =
    fontSize === undefined
      ? 'unknown'
      : fontSize <= 1.5
        ? 'hidden'
        : fontSize < 5
          ? 'unknown'
          : 'visible';
  return worst([box, visibility, spacing, size, contrast(color, background)]);
}

function contrast(color: Paint['color'], background: Paint['background']): Verdict {
  if (color === 'none') return 'hidden';
  if (color === undefined || background === undefined) return 'unknown';
  const distance = Math.max(...color.map((part, at) => Math.abs(part - (background[at] ?? 0))));
  if (distance <= 8) return 'hidden';
  return distance < 40 ? 'unknown' : 'visible';
}

function boxOf(values: Values, em: number, width: number): Verdict {
  const pixels = (value: string) => toPixels(value, em, width);
  const isMoved = !values('position').every((value) => /^(?:static|initial|unset)$/.test(value));
  const clips = OVERFLOWS.some((name) =>
    values(name).some((value) => !/^(?:visible|initial|unset)/.test(value)),
  );
  const isOneLine = values('white-space').some((value) => /nowrap|^pre$|\?/.test(value));
  const isLaidOut = values('display').some((value) => /flex|grid|box|\?/.test(value));
  return worst([
    together(values('display'), (value) =>
      /^(?:none|table-column.*)$/.test(value) ? 'hidden' : 'visible',
    ),
    together(values('opacity'), (value) => {
      const part = Number.parseFloat(value) / (value.endsWith('%') ? 100 : 1);
      if (Number.isNaN(part)) return 'visible';
      return part <= 0.1 ? 'hidden' : part < 0.35 ? 'unknown' : 'visible';
    }),
    together(values('content-visibility'), (value) => (value === 'hidden' ? 'hidden' : 'visible')),
    clips && (isOneLine || isLaidOut) ? 'unknown' : 'visible',
    ...DIMENSIONS.flatMap((name) => values(name).map((value) => judgeTiny(pixels(value)))),
    ...(isMoved
      ? SIDES.map((side) => together(values(side), (value) => judgeOffset(value, pixels(value))))
      : []),
    ...['margin', 'padding'].flatMap((kind) =>
      SIDES.map((side) =>
        together(values(`${kind}-${side}`), (value) => judgeMargin(value, pixels(value))),
      ),
    ),
    ...(clips
      ? DIMENSIONS.map((name) =>
          together(values(name), (value) => judgeClipped(name, value, pixels(value))),
        )
      : []),
  ]);
}

function judgeOffset(value: string, pixels: number | undefined): Verdict {
  if (/^[a-z]/.test(value)) return 'visible';
  const percent = value.endsWith('%') ? Number.parseFloat(value) : undefined;
  if (percent !== undefined) return percent < 0 || percent > 50 ? 'unknown' : 'visible';
  if (pixels === undefined) return 'unknown';
  if (Math.abs(pixels) >= 500) return 'hidden';
  return pixels < -5 || pixels > 100 ? 'unknown' : 'visible';
}

function judgeMargin(value: string, pixels: number | undefined): Verdict {
  if (/^[a-z]/.test(value)) return 'visible';
  if (value.endsWith('%')) return Math.abs(Number.parseFloat(value)) > 40 ? 'unknown' : 'visible';
  if (pixels === undefined) return 'unknown';
  if (pixels <= -500) return 'hidden';
  return pixels < -25 || pixels > 250 ? 'unknown' : 'visible';
}

/** Text that does not fit into its box stands on the background of another. */
function judgeTiny(pixels: number | undefined): Verdict {
  return pixels !== undefined && pixels < 10 ? 'unknown' : 'visible';
}

/** Of a box that cuts off what is larger: how much text is behind its edge, nobody knows. */
function judgeClipped(name: string, value: string, pixels: number | undefined): Verdict {
  if (/^[a-z-]/.test(value) || value === '100%') return 'visible';
  const isZero = Number.parseFloat(value) === 0;
  if (isZero || (pixels !== undefined && pixels <= 4)) return 'hidden';
  if (name.endsWith('height') || pixels === undefined) {
    return value.endsWith('%') && name.endsWith('width') && Number.parseFloat(value) >= 10
      ? 'visible'
      : 'unknown';
  }
  return pixels < 40 ? 'unknown' : 'visible';
}

function judgeSpacing(name: string, value: string, em: number, width: number): Verdict {
  if (/^[a-z]/.test(value)) return 'visible';
  const isFactor = name === 'line-height' && /^[\d.]+$/.test(value);
  const isPart = value.endsWith('%') && name === 'line-height';
  const factor = Number.parseFloat(value) / (isPart ? 100 : 1);
  const pixels = isFactor || isPart ? factor * em : toPixels(value, em, width);
  if (pixels === undefined) return 'unknown';
  if (name === 'line-height') return pixels < em * 0.6 && em > 5 ? 'unknown' : 'visible';
  if (name === 'text-indent' && Math.abs(pixels) >= 500) return 'hidden';
  if (name === 'text-indent') return pixels < -50 || pixels > 200 ? 'unknown' : 'visible';
  return pixels < -0.15 * em || pixels > 3 * em ? 'unknown' : 'visible';
}

function judgeOther(name: string, value: string): Verdict {
  if (HARMLESS_VALUES[name]?.test(value) === true) return 'visible';
  return /^scale\(\s*0\s*[,)]/.test(value) ? 'hidden' : 'unknown';
}

const SIZES: Readonly<Record<string, number>> = {
  'xx-small': 9,
  'x-small': 10,
  small: 13,
  medium: 16,
  large: 18,
  'x-large': 24,
  'xx-large': 32,
  'xxx-large': 48,
  initial: 16,
};

function fontSizeOf(
  list: readonly string[],
  above: number | undefined,
  width: number,
): number | undefined {
  if (list.length === 0) return above;
  const sizes = new Set(
    list.map((value) => {
      if (/^(?:inherit|unset)$/.test(value)) return above;
      if (Object.hasOwn(SIZES, value)) return SIZES[value];
      if (above === undefined && /em$|ex$|ch$|%$|er$/.test(value))
        return Number.parseFloat(value) === 0 ? 0 : undefined;
      const size = above ?? 16;
      if (value === 'smaller') return size / 1.2;
      if (value === 'larger') return size * 1.2;
      return value.endsWith('%')
        ? (Number.parseFloat(value) / 100) * size
        : toPixels(value, size, width);
    }),
  );
  const [first] = sizes;
  return sizes.size > 1 && [...sizes].some((size) => size === undefined || size < 5)
    ? undefined
    : first;
}

/** Pixels of a length; undefined: not known, as of a percentage. */
function toPixels(value: string, em: number, width: number): number | undefined {
  const [, number, unit = ''] = /^([-+]?[\d.]+(?:e\d+)?)([a-z%]*)$/.exec(value) ?? [];
  const size = Number(number);
  if (number === undefined || Number.isNaN(size)) return undefined;
  if (size === 0) return 0;
  const units: Readonly<Record<string, number>> = {
    px: 1,
    pt: 4 / 3,
    em,
    rem: 16,
    ex: em / 2,
    ch: em / 2,
    in: 96,
    cm: 37.8,
    mm: 3.78,
    pc: 16,
    vw: width / 100,
    vh: 8,
  };
  const factor = units[unit];
  return factor === undefined ? undefined : size * factor;
}

function colorOf(list: readonly string[], above: Paint): Paint['color'] {
  if (list.length === 0) return above.color;
  const colors = list.map((value) => {
    if (/^(?:inherit|unset|currentcolor)$/.test(value)) return above.color;
    if (value === 'initial') return START.color;
    const color = readColor(value);
    return Array.isArray(color)
      ? over(color, above.background)
      : color === 'none'
        ? 'none'
        : undefined;
  });
  const [first] = colors;
  return colors.every((color) => String(color) === String(first)) ? first : undefined;
}

function backgroundBelow(values: Values, above: Paint): Color | undefined {
  const images = values('background-image');
  if (images.some((value) => !/^(?:none|initial|inherit|unset)$/.test(value))) return undefined;
  const list = values('background-color');
  if (list.length === 0) return above.background;
  const colors = list.map((value) => {
    if (/^(?:inherit|unset|initial)$/.test(value)) return above.background;
    const color = readColor(value);
    if (color === 'none') return above.background;
    return Array.isArray(color) ? over(color, above.background) : undefined;
  });
  const [first] = colors;
  return colors.every((color) => String(color) === String(first)) ? first : undefined;
}
