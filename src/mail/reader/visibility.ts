/**
 * Whether an element and its text can be seen, by what its styles may be. A property can have several possible values,
 * where it is not known which rule is in force; only what is visible by all of them is visible. Erasable syntax only.
 */

export type Verdict = 'visible' | 'unknown' | 'hidden';
export type Color = readonly [red: number, green: number, blue: number];

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

const KEYWORDS = 'inherit|initial|unset';
const LENGTH = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:e\d+)?(?:px|pt|em|rem|ex|ch|in|cm|mm|pc|vw|vh|%)|[-+]?0+(?:\.0+)?`;
const SIZE = `${LENGTH}|auto|none|(?:-webkit-|-moz-)?(?:fit|max|min)-content|-webkit-fill-available|${KEYWORDS}`;
const NUMBER = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)%?`;

function only(values: string): RegExp {
  return new RegExp(`^(?:${values})$`);
}

const SIDES = ['top', 'right', 'bottom', 'left'] as const;
const DIMENSIONS = ['width', 'height', 'max-width', 'max-height'] as const;
const OVERFLOWS = ['overflow', 'overflow-x', 'overflow-y'] as const;

/** Values of the properties that can hide and are judged. */
const KNOWN: Readonly<Record<string, RegExp>> = {
  display: only(
    `none|block|inline|inline-block|table|inline-table|table-(?:row|cell|caption|row-group|header-group|footer-group|column|column-group)|list-item|flex|inline-flex|grid|inline-grid|flow-root|contents|-webkit-(?:inline-)?(?:box|flex)|${KEYWORDS}`,
  ),
  visibility: only(`visible|hidden|collapse|${KEYWORDS}`),
  opacity: only(`${NUMBER}|${KEYWORDS}`),
  float: only(`none|left|right|${KEYWORDS}`),
  position: only(`static|relative|absolute|fixed|sticky|${KEYWORDS}`),
  'content-visibility': only(`visible|auto|hidden|${KEYWORDS}`),
  'white-space': only(`normal|nowrap|pre|pre-wrap|pre-line|break-spaces|${KEYWORDS}`),
  'font-size': only(
    `${LENGTH}|xx-small|x-small|small|medium|large|x-large|xx-large|xxx-large|smaller|larger|${KEYWORDS}`,
  ),
  'line-height': only(`${LENGTH}|${NUMBER}|normal|${KEYWORDS}`),
  ...Object.fromEntries(
    OVERFLOWS.map((name) => [
      name,
      only(`(?:visible|hidden|clip|scroll|auto)(?: \\w+)?|${KEYWORDS}`),
    ]),
  ),
  ...Object.fromEntries(
    [
      ...SIDES,
      ...SIDES.map((side) => `margin-${side}`),
      ...SIDES.map((side) => `padding-${side}`),
      ...DIMENSIONS,
      'text-indent',
    ].map((name) => [name, only(SIZE)]),
  ),
  'letter-spacing': only(`${LENGTH}|normal|${KEYWORDS}`),
  'word-spacing': only(`${LENGTH}|normal|${KEYWORDS}`),
};

/** What a property is as long as nobody hides anything by it; any other value may hide. */
const HARMLESS_VALUES: Readonly<Record<string, RegExp>> = {
  clip: only(`auto|${KEYWORDS}`),
  'mso-hide': only('none|screen'),
  zoom: only('1|100%|normal'),
  content: only('normal|none'),
  contain: only('none|layout|style'),
};
for (const name of [
  'clip-path',
  '-webkit-clip-path',
  'mask',
  'mask-image',
  '-webkit-mask',
  '-webkit-mask-image',
  'filter',
  '-webkit-filter',
  'transform',
  '-webkit-transform',
  '-ms-transform',
  '-moz-transform',
  'translate',
  'scale',
  'rotate',
  'animation',
  '-webkit-animation',
  'animation-name',
  'mix-blend-mode',
  'background-clip',
  '-webkit-background-clip',
  'perspective',
  'offset-path',
  'text-overflow',
]) {
  (HARMLESS_VALUES as Record<string, RegExp>)[name] = only(
    `none|normal|border-box|padding-box|content-box|clip|ellipsis|${KEYWORDS}`,
  );
}

/** Properties that hide nothing, whatever their value. */
const HARMLESS =
  /^(?:mso-(?!hide$).*|-ms-(?:text-size-adjust|interpolation-mode)|-(?:webkit|moz)-(?:text-size-adjust|font-smoothing|osx-font-smoothing|tap-highlight-color|hyphens|border-radius|box-(?:shadow|sizing|align|pack|orient|flex)|appearance|user-select|transition.*|backface-visibility|justify-content|align-items|flex.*)|text-size-adjust|font-(?:family|style|weight|stretch|variant.*|feature-settings|kerning|display|smooth|optical-sizing|synthesis)|font-smoothing|border(?!-image)(?:-.*)?|outline(?:-.*)?|list-style(?:-.*)?|text-(?:align.*|transform|decoration.*|rendering|underline-.*|wrap|justify)|vertical-align|clear|direction|unicode-bidi|cursor|box-(?:sizing|shadow)|table-layout|caption-side|empty-cells|word-(?:break|wrap)|overflow-wrap|hyphens|line-break|min-(?:width|height)|background-(?:repeat|position|size|attachment|origin|position-[xy])|color-scheme|supported-color-schemes|order|flex(?:-.*)?|grid(?:-.*)?|gap|row-gap|column-gap|align-(?:items|content|self)|justify-(?:items|content|self)|place-.*|aspect-ratio|object-(?:fit|position)|transition(?:-.*)?|user-select|appearance|pointer-events|quotes|tab-size|orphans|widows|page|behavior|page-break-.*|break-.*|columns?|backface-visibility|image-rendering|print-color-adjust|forced-color-adjust|accent-color|scroll-.*|will-change|resize|text-shadow|z-index|src|size|align|valign)$/;
const COLORS = new Set(['color', '-webkit-text-fill-color', 'background-color']);

/** Whether a browser takes a value, drops it, or nobody here knows. Only of properties that can hide something. */
export function isTaken(name: string, value: string): 'yes' | 'no' | 'unknown' {
  if (COLORS.has(name))
    return readColor(value) === undefined && !only(KEYWORDS).test(value) ? 'unknown' : 'yes';
  if (name === 'background-image') return 'yes';
  const known = KNOWN[name] ?? HARMLESS_VALUES[name];
  if (known?.test(value) === true) return 'yes';
  // One unknown word is no value of a property whose words are all listed.
  return Object.hasOwn(KNOWN, name) && /^[a-z]+$/.test(value) && value !== 'revert'
    ? 'no'
    : 'unknown';
}

/** The longhands that a declaration sets; none for one that hides nothing. */
export function expand(name: string, value: string): readonly (readonly [string, string])[] {
  // A border can be as wide as the screen.
  if (
    /^border(?!.*radius)/.test(name) &&
    /\d{3}|[(?]/.test(value.replace(/#[\da-f]+|rgba?\([^)]*\)/g, ''))
  ) {
    return [['border-width', '?']];
  }
  if (HARMLESS.test(name)) return [];
  if (name === 'margin' || name === 'inset' || name === 'padding') {
    const parts = value.includes('(') ? [value] : value.split(' ');
    const [top = '', right = top, bottom = top, left = right] = parts;
    const prefix = name === 'inset' ? '' : `${name}-`;
    const sides = { top, right, bottom, left };
    return SIDES.map((side) => [`${prefix}${side}`, parts.length > 4 ? 'invalid' : sides[side]]);
  }
  if (name === 'font') {
    const size = new RegExp(
      `(?:^|\\s)(${LENGTH}|(?:xx?-)?(?:small|large)|medium|smaller|larger)(?:\\s*/\\s*([^\\s]+))?\\s+\\S`,
    ).exec(value);
    if (size === null)
      return value.includes('(') || value === '?'
        ? [['font-size', '?']]
        : only(KEYWORDS).test(value)
          ? [['font-size', value]]
          : [];
    return [
      ['font-size', size[1] ?? '?'],
      ['line-height', size[2] ?? 'normal'],
    ];
  }
  if (name === 'background') return backgroundOf(value);
  return [[name, value]];
}

function backgroundOf(value: string): readonly (readonly [string, string])[] {
  if (only(KEYWORDS).test(value))
    return [
      ['background-color', value],
      ['background-image', 'none'],
    ];
  const image = /url\(|gradient\(|image|element\(|\?/.test(value) ? value : 'none';
  const rest = value.replace(/url\([^)]*\)/g, ' ');
  const words = rest.match(/[^\s(,/]+\([^()]*\)|[^\s,/]+/g) ?? [];
  const others = words.filter(
    (word) =>
      !only(
        `${SIZE}|0|left|right|top|bottom|center|cover|contain|scroll|fixed|local|(?:no-)?repeat(?:-[xy])?|space|round|(?:border|padding|content)-box`,
      ).test(word),
  );
  const color =
    others.find((word) => readColor(word) !== undefined) ??
    (image === 'none' && others.length > 0 ? others[0] : undefined);
  return [
    ['background-color', color ?? 'transparent'],
    ['background-image', image],
  ];
}

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

/** A colour that may shine through. */
function over(color: readonly number[], background: Color | undefined): Color | undefined {
  const [red = 0, green = 0, blue = 0, alpha = 1] = color;
  if (alpha >= 1) return [red, green, blue];
  if (background === undefined) return undefined;
  const [r, g, b] = background;
  const mix = (top: number, below: number): number => top * alpha + below * (1 - alpha);
  return [mix(red, r), mix(green, g), mix(blue, b)];
}

const NAMES = new Map(
  [
    ...'white fff black 000 red f00 green 008000 blue 00f yellow ff0 gray 808080 grey 808080 silver c0c0c0 navy 000080 maroon 800000 olive 808000 teal 008080 purple 800080 fuchsia f0f magenta f0f aqua 0ff cyan 0ff lime 0f0 orange ffa500 gold ffd700 pink ffc0cb brown a52a2a crimson dc143c tomato ff6347 coral ff7f50 indigo 4b0082 violet ee82ee orchid da70d6 salmon fa8072 khaki f0e68c beige f5f5dc ivory fffff0 snow fffafa whitesmoke f5f5f5 gainsboro dcdcdc lightgray d3d3d3 lightgrey d3d3d3 darkgray a9a9a9 darkgrey a9a9a9 dimgray 696969 dimgrey 696969 slategray 708090 lightblue add8e6 skyblue 87ceeb steelblue 4682b4 royalblue 4169e1 dodgerblue 1e90ff darkblue 00008b midnightblue 191970 darkred 8b0000 darkgreen 006400 forestgreen 228b22 seagreen 2e8b57 lavender e6e6fa linen faf0e6 azure f0ffff aliceblue f0f8ff ghostwhite f8f8ff floralwhite fffaf0 mintcream f5fffa window fff windowtext 000 canvas fff canvastext 000'.matchAll(
      /([a-z]+) ([\da-f]+)/g,
    ),
  ].map(([, name = '', hex = '']) => [name, `#${hex}`]),
);

/** Red, green, blue and, where it shines through, alpha; `none`: nothing is painted. */
function readColor(text: string): readonly number[] | 'none' | undefined {
  if (text === 'transparent') return 'none';
  const hex = /^#([\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/.exec(NAMES.get(text) ?? text)?.[1];
  if (hex !== undefined) {
    const long = hex.length < 6 ? hex.replace(/./g, '$&$&') : hex;
    const parts = (long.match(/../g) ?? []).map((part) => Number.parseInt(part, 16));
    return withAlpha(parts, (parts[3] ?? 255) / 255);
  }
  const [, kind, list = ''] = /^(rgb|hsl)a?\(([-\d.%deg\s,/+]+)\)$/.exec(text) ?? [];
  if (kind === undefined) return undefined;
  const written = list.split(/[\s,/]+/).filter((part) => part !== '');
  const numbers = written.map((part) => Number.parseFloat(part));
  if (written.length < 3 || written.length > 4 || numbers.some(Number.isNaN)) return undefined;
  const alpha = (numbers[3] ?? 1) / (written[3]?.endsWith('%') === true ? 100 : 1);
  if (kind === 'hsl') return withAlpha(fromHsl(numbers), alpha);
  const scale = written[0]?.endsWith('%') === true ? 2.55 : 1;
  return withAlpha(
    numbers.slice(0, 3).map((part) => Math.min(255, Math.max(0, part * scale))),
    alpha,
  );
}

function withAlpha(parts: readonly number[], alpha: number): readonly number[] | 'none' {
  return alpha <= 0.1 ? 'none' : [...parts.slice(0, 3), Math.min(1, alpha)];
}

function fromHsl([hue = 0, saturation = 0, lightness = 0]: readonly number[]): number[] {
  const [s, l] = [Math.min(100, saturation) / 100, Math.min(100, lightness) / 100];
  return [0, 8, 4].map((at) => {
    const k = (((at + hue / 30) % 12) + 12) % 12;
    return 255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
  });
}
