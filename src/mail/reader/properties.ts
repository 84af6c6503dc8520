// The properties of CSS that can hide text, which of their values a browser takes, and what a shorthand sets. Erasable
// syntax only.
import { readColor } from './colors.ts';

const KEYWORDS = 'inherit|initial|unset';
const LENGTH = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:e\d+)?(?:px|pt|em|rem|ex|ch|in|cm|mm|pc|vw|vh|%)|[-+]?0+(?:\.0+)?`;
const SIZE = `${LENGTH}|auto|none|(?:-webkit-|-moz-)?(?:fit|max|min)-content|-webkit-fill-available|${KEYWORDS}`;
const NUMBER = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)%?`;

function only(values: string): RegExp {
  return new RegExp(`^(?:${values})$`);
}

export const SIDES = ['top', 'right', 'bottom', 'left'] as const;
export const DIMENSIONS = ['width', 'height', 'max-width', 'max-height'] as const;
export const OVERFLOWS = ['overflow', 'overflow-x', 'overflow-y'] as const;

/** Values of the properties that can hide and are judged. */
export const KNOWN: Readonly<Record<string, RegExp>> = {
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
export const HARMLESS_VALUES: Readonly<Record<string, RegExp>> = {
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
/** Properties whose values are colours. */
export const COLORS = new Set(['color', '-webkit-text-fill-color', 'background-color']);

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
