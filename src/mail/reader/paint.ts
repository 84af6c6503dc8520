import { over, readColor } from './colors.ts';
import type { Color } from './colors.ts';
import { INHERITED, KEYWORDS, judge, toPixels } from './properties.ts';
import type { Verdict } from './properties.ts';

/** How the text in an element is painted, by the values its properties may have. Erasable syntax only. */

/** The values that a property may have, `?` for one that is not understood; only what is seen by all of them is seen. */
export type Values = ReadonlyMap<string, readonly string[]>;

export interface Paint {
  /** Of all around it: nothing in it is seen better. */
  readonly box: Verdict;
  readonly inherited: Readonly<Record<string, Verdict>>;
  /** Pixels. */
  readonly fontSize: number | undefined;
  readonly color: Color | undefined;
  readonly background: Color | undefined;
  /** It, or something around it, is out of its place, and may lie over anything. */
  readonly isMoved: boolean;
  readonly covers: boolean;
}

export const PAGE: Paint = {
  box: 'seen',
  inherited: {},
  fontSize: 16,
  color: [0, 0, 0],
  background: [255, 255, 255],
  isMoved: false,
  covers: false,
};

const INHERITS = /^(?:inherit|unset)$/;

export function worst(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('unseen')) return 'unseen';
  return verdicts.includes('uncertain') ? 'uncertain' : 'seen';
}

export function paintOf(name: string, values: Values, above: Paint, page: Paint): Paint {
  const may = (property: string, what: RegExp): boolean =>
    values.get(property)?.some((value) => what.test(value)) ?? false;
  const size = values.get('font-size') ?? ['inherit'];
  const fontSize = same(size, (value) => fontSizeOf(value, above.fontSize));
  const isOut = may('position', /absolute|fixed|sticky|\?/);
  const context = {
    fontSize: fontSize ?? 16,
    isMoved: isOut || may('position', /relative/),
    clips: ['overflow', 'overflow-x', 'overflow-y'].some((one) =>
      may(one, /hidden|clip|scroll|auto|\?/),
    ),
    isTight: may('white-space', /nowrap|^pre$|\?/) || may('display', /flex|grid|box|\?/),
  };
  const verdictOf = (property: string, list: readonly string[]): Verdict => {
    const all = new Set(list.map((value) => judge(property, value, context)));
    const [only = 'seen'] = all;
    return all.size === 1 ? only : 'uncertain';
  };
  const inherited = { ...above.inherited };
  const boxes = [above.box];
  // Of a raised word it moves the line, not the word.
  const isRaised = /^su[bp]$/.test(name) && !context.clips && !values.has('display');
  let isOutlined = false;
  for (const [property, list] of values) {
    const verdict = verdictOf(property, list);
    isOutlined ||= property.startsWith('outline') && verdict !== 'seen';
    if (!INHERITED.includes(property)) boxes.push(verdict);
    else if (
      !(isRaised && property === 'line-height') &&
      !list.every((value) => INHERITS.test(value))
    )
      inherited[property] = verdict;
  }
  const isShifted =
    (context.isMoved &&
      ['top', 'right', 'bottom', 'left', 'inset'].some((side) => may(side, /[1-9]\d|[6-9]|\?/))) ||
    [...values.keys()].some(
      (property) => property.startsWith('margin') && may(property, /-\d{2}|\?/),
    );
  const background = backgroundOf(values, above.background);
  const isSmall =
    !/^(?:table|tbody|tr|td|th)$/.test(name) &&
    ['width', 'max-width', 'height', 'max-height'].some((side) =>
      may(side, /^(?:0|\.|\d(?:\.\d+)?(?:px|pt|%)$)/),
    );
  // Text in a box that is small, or leaves its place, may stand on another background than the one that it is in.
  const leaves =
    (isOut || isShifted || may('float', /left|right/)) &&
    String(above.background) !== String(page.background);
  const isOwn = String(background) !== String(above.background);
  const isMoved = above.isMoved || isOut || isShifted;
  const isPainted =
    name === 'img' ||
    may('background-color', /^(?!transparent|unset)/) ||
    may('background-image', /^(?!none|unset)/);
  return {
    box: worst(boxes),
    inherited,
    fontSize,
    color: colorOf(values, above),
    background: (isSmall && isOwn) || (leaves && !isOwn) ? undefined : background,
    isMoved,
    covers: isOutlined || (isMoved && isPainted),
  };
}

export function verdictOf({ box, inherited, fontSize, color, background }: Paint): Verdict {
  const size =
    fontSize === undefined
      ? 'uncertain'
      : fontSize <= 1.5
        ? 'unseen'
        : fontSize < 5
          ? 'uncertain'
          : 'seen';
  return worst([box, ...Object.values(inherited), size, contrast(color, background)]);
}

function contrast(color: Color | undefined, background: Color | undefined): Verdict {
  if (color === undefined || background === undefined) return 'uncertain';
  const distance = Math.max(...color.map((part, at) => Math.abs(part - (background[at] ?? 0))));
  return distance <= 8 ? 'unseen' : distance < 40 ? 'uncertain' : 'seen';
}

/** What all values come to; undefined when that is not one thing. */
function same<T>(list: readonly string[], read: (value: string) => T | undefined): T | undefined {
  const [first, ...others] = list.map(read);
  return others.every((other) => String(other) === String(first)) ? first : undefined;
}

const SIZES: Readonly<Record<string, number>> = {
  'xx-small': 9,
  'x-small': 10,
  small: 13,
  medium: 16,
  initial: 16,
  large: 18,
  'x-large': 24,
  'xx-large': 32,
};

function fontSizeOf(value: string, above: number | undefined): number | undefined {
  if (INHERITS.test(value) || /^(?:smaller|larger)$/.test(value)) return above;
  if (Object.hasOwn(SIZES, value)) return SIZES[value];
  if (above === undefined && !/\d(?:px|pt)$|^0$/.test(value)) return undefined;
  // A percentage is one of the size around it.
  const [, part] = /^(.*)%$/.exec(value) ?? [];
  return toPixels(part === undefined ? value : `${Number(part) / 100}em`, above ?? 16);
}

function colorOf(values: Values, above: Paint): Color | undefined {
  const fill = values.get('-webkit-text-fill-color') ?? [];
  const list = fill.length > 0 && !fill.includes('currentcolor') ? fill : values.get('color');
  if (list === undefined) return above.color;
  return same(list, (value) => {
    if (INHERITS.test(value) || value === 'currentcolor') return above.color;
    if (value === 'initial') return PAGE.color;
    const color = readColor(value);
    return color === undefined ? undefined : over(color, above.background);
  });
}

function backgroundOf(values: Values, above: Color | undefined): Color | undefined {
  const images = values.get('background-image') ?? [];
  if (images.some((value) => value !== 'none' && !KEYWORDS.test(value))) return undefined;
  const list = values.get('background-color');
  if (list === undefined) return above;
  return same(list, (value) => {
    const color = KEYWORDS.test(value) ? [0, 0, 0, 0] : readColor(value);
    return color === undefined ? undefined : over(color, above);
  });
}
