/** Conditions of styles, on the screens that a mail is judged on. Erasable syntax only. */

/** Whether something holds; `maybe` where that is not known here. */
type Match = 'yes' | 'maybe' | 'no';
export type Held = readonly Match[];

/** Widths of a desk and a phone, in pixels. */
const SCREENS = [1200, 375];
export const ALWAYS: Held = SCREENS.map(() => 'yes');
export const MAYBE: Held = SCREENS.map(() => 'maybe');

export function both(one: Held, other: Held): Held {
  return one.map((match, screen) => least([match, other[screen] ?? 'maybe']));
}

function least(matches: readonly Match[]): Match {
  if (matches.includes('no')) return 'no';
  return matches.includes('maybe') ? 'maybe' : 'yes';
}

export function holds(words: string): Held {
  const queries = words
    .toLowerCase()
    .split(',')
    .map((query) => query.trim().split(/ and ?(?=\()/));
  return SCREENS.map((width) => {
    const matches = queries.map((parts) =>
      least(parts.map((part) => partHolds(part.trim(), width))),
    );
    return matches.includes('yes') ? 'yes' : matches.includes('maybe') ? 'maybe' : 'no';
  });
}

function partHolds(part: string, width: number): Match {
  if (/^(?:(?:only )?(?:screen|all))?$/.test(part)) return 'yes';
  if (/^(?:only )?(?!not\b|only\b)[a-z]+$/.test(part)) return 'no';
  const scheme = /^\(prefers-color-scheme: ?(dark|light)\)$/.exec(part)?.[1];
  if (scheme !== undefined) return scheme === 'light' ? 'yes' : 'no';
  const [, side, size, unit] =
    /^\((min|max)-(?:device-)?width: ?(\d+|\d*\.\d+)(px|r?em)\)$/.exec(part) ?? [];
  if (side === undefined) return 'maybe';
  const pixels = Number(size) * (unit === 'px' ? 1 : 16);
  return (side === 'min' ? width >= pixels : width <= pixels) ? 'yes' : 'no';
}
