/** A property that is in neither of the two lists may hide text. Erasable syntax only. */

export type Verdict = 'seen' | 'uncertain' | 'unseen';

/** What else of the element a value has to be judged with; lengths in pixels. */
export interface Context {
  readonly fontSize: number;
  /** It is out of its place, or may be, so that offsets count. */
  readonly isMoved: boolean;
  /** It cuts off what is larger, or may. */
  readonly clips: boolean;
  /** Its text, or the boxes in it, are kept on one line, or may be. */
  readonly isTight: boolean;
}

type Judge = (value: string, context: Context) => Verdict;

export const KEYWORDS = /^(?:inherit|initial|unset)$/;
/** What a percentage is taken of, and a share of the screen. */
const USUAL_WIDTH = 600;
const UNITS: Readonly<Record<string, number>> = {
  px: 1,
  pt: 4 / 3,
  rem: 16,
  in: 96,
  cm: 37.8,
  mm: 3.78,
  pc: 16,
  vw: 12,
  vh: 8,
  '%': USUAL_WIDTH / 100,
};
const RELATIVE: Readonly<Record<string, number>> = { em: 1, ex: 0.5, ch: 0.5 };
const NUMBER = /^([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)([a-z]*|%)$/;

/** Pixels; undefined: a length that is not known here. */
export function toPixels(value: string, fontSize: number): number | undefined {
  const [, number, unit = ''] = NUMBER.exec(value) ?? [];
  if (number === undefined) return undefined;
  if (Number(number) === 0) return 0;
  const factor = UNITS[unit] ?? (RELATIVE[unit] ?? Number.NaN) * fontSize;
  return Number.isNaN(factor) ? undefined : Number(number) * factor;
}

/** Words that hide, words that do not; any other may. */
function words(unseen: string, seen: string): Judge {
  const [hiding, showing] = [unseen.split(' '), seen.split(' ')];
  return (value) =>
    showing.includes(value) ? 'seen' : hiding.includes(value) ? 'unseen' : 'uncertain';
}

/** Lengths of which those within the limits hide nothing, nor do words. */
function within(least: number, most: number, unit: 'px' | 'em' = 'px'): Judge {
  return (value, { fontSize }) => {
    const size = unit === 'em' ? fontSize : 1;
    return value.split(' ').every((part) => {
      const pixels = /^[a-z]+$/.test(part) ? 0 : toPixels(part, fontSize);
      return pixels !== undefined && pixels >= least * size && pixels <= most * size;
    })
      ? 'seen'
      : 'uncertain';
  };
}

const offset: Judge = (value, context) =>
  context.isMoved ? within(-5, 300)(value, context) : 'seen';

function extent(isWidth: boolean): Judge {
  return (value, { fontSize, clips }) => {
    if (/^[a-z-]+$/.test(value) || value === '100%') return 'seen';
    const pixels = toPixels(value, fontSize);
    if (clips && pixels !== undefined && pixels <= 4) return 'unseen';
    if (pixels === undefined) return clips ? 'uncertain' : 'seen';
    // How much text is below the edge is not known.
    return pixels < (clips ? 40 : 10) || (clips && !isWidth) ? 'uncertain' : 'seen';
  };
}

/** A line can be as wide as the screen. */
const edge: Judge = (value) =>
  /\d{3}|\?/.test(value.replace(/#[\da-f]+|\([^)]*\)/g, '')) ? 'uncertain' : 'seen';

const PLAIN = words('', 'none normal auto border-box padding-box content-box clip ellipsis');

/** By property. Those with a judge of their own in `paint.ts` are here as well: `seen` by themselves. */
const PROPERTIES: Readonly<Record<string, Judge>> = {
  display: words(
    'none table-column table-column-group',
    'block inline inline-block table inline-table table-row table-cell table-caption table-row-group table-header-group table-footer-group list-item flex inline-flex grid inline-grid flow-root contents -webkit-box -webkit-flex',
  ),
  visibility: words('hidden collapse', 'visible'),
  'content-visibility': words('hidden', 'visible auto'),
  opacity: (value) => {
    const part = Number.parseFloat(value) / (value.endsWith('%') ? 100 : 1);
    return part >= 0.35 ? 'seen' : part <= 0.1 ? 'unseen' : 'uncertain';
  },
  'mso-hide': words('', 'none screen'),
  'letter-spacing': within(-0.15, 3, 'em'),
  'word-spacing': within(-0.15, 3, 'em'),
  'text-indent': within(-50, 200),
  'line-height': (value, { fontSize }) => {
    if (/^[a-z]+$/.test(value)) return 'seen';
    // A number or a percentage is one of the size of the letters.
    const factor = /^(.*\d)(%?)$/.exec(value);
    const pixels = toPixels(
      factor === null ? value : `${Number(factor[1]) / (factor[2] === '' ? 1 : 100)}em`,
      fontSize,
    );
    return pixels !== undefined && (pixels >= fontSize * 0.6 || fontSize <= 5)
      ? 'seen'
      : 'uncertain';
  },
  margin: within(-25, 300),
  padding: within(0, 300),
  inset: offset,
  width: extent(true),
  'max-width': extent(true),
  height: extent(false),
  'max-height': extent(false),
  overflow: (_, { clips, isTight }) => (clips && isTight ? 'uncertain' : 'seen'),
  zoom: words('', '1 100% normal'),
  contain: words('', 'none layout style'),
  content: PLAIN,
  'text-stroke-width': words('', '0 0px'),
  border: edge,
  outline: edge,
  'color-scheme': (value) => (/^[^l]*dark[^l]*$/.test(value) ? 'uncertain' : 'seen'),
  'vertical-align': within(-25, 300),
  ...Object.fromEntries(['top', 'right', 'bottom', 'left'].map((side) => [side, offset])),
  ...Object.fromEntries(
    'clip clip-path mask mask-image filter transform translate scale rotate animation animation-name mix-blend-mode background-clip perspective offset-path text-overflow'
      .split(' ')
      .map((name) => [name, PLAIN]),
  ),
  ...Object.fromEntries(
    'color text-fill-color background-color background-image font-size position float white-space'
      .split(' ')
      .map((name) => [name, () => 'seen']),
  ),
};

export const INHERITED: readonly string[] = [
  'visibility',
  'letter-spacing',
  'word-spacing',
  'text-indent',
  'line-height',
];

const HARMLESS =
  /^(?:mso-(?!hide$).*|-(?:premailer|khtml)-.*|(?:text-|interpolation-)(?:size-adjust|mode)|font-(?!size).*|osx-font-smoothing|nbsp-mode|caret-color|tap-highlight-color|border-(?:collapse|spacing|.*radius)|(?:border|outline)-.*(?:color|style)|outline-offset|list-style.*|text-(?:align|transform|decoration|rendering|underline|justify|shadow|size-adjust).*|clear|direction|unicode-bidi|cursor|box-.*|table-layout|caption-side|empty-cells|word-(?:break|wrap)|overflow-wrap|hyphens|line-break|min-.*|background-(?:repeat|position|size|attachment|origin).*|supported-color-schemes|order|flex.*|(?:row-|column-)?gap|(?:align|justify|place)-.*|aspect-ratio|object-.*|transition.*|user-select|appearance|pointer-events|quotes|tab-size|orphans|widows|page|behavior|(?:page-)?break-.*|columns?|backface-visibility|image-rendering|print-color-adjust|accent-color|scroll-.*|will-change|resize|z-index|src|size|align|valign)$/;

export function counts(written: string): boolean {
  return !HARMLESS.test(plainName(written));
}

/** What the tables call a property: without the prefix of a browser, and without its side. */
function plainName(written: string): string {
  const name = written.replace(/^-(?:webkit|moz|ms|o)-/, '');
  return (
    /^(margin|padding|border|outline|overflow)-(?:top|right|bottom|left|image|width|x|y)(?:-width)?$/.exec(
      name,
    )?.[1] ?? name
  );
}

export function judge(written: string, value: string, context: Context): Verdict {
  if (KEYWORDS.test(value)) return 'seen';
  const name = plainName(written);
  const known = Object.hasOwn(PROPERTIES, name) ? PROPERTIES[name] : undefined;
  return known?.(value, context) ?? 'uncertain';
}
