import { fold } from './fold.ts';
import type { Folded } from './fold.ts';
import { findMarkers, findTokens } from './forgeries.ts';
import { hidesAnything, showHidden } from './hidden.ts';

interface Forgeries {
  readonly markers: number;
  readonly tokens: number;
  readonly hidden: number;
}

interface Forgery {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

/** Can make no new marker and no new token of its neighbours: no marker begins or ends so, and no bracket is in it. */
const MARKER_LABEL = '(marker removed)';
const tokenLabel = (name: string) => `(model token ${name === '' ? '' : `${name} `}removed)`;

/**
 * Look-alikes of the markers become `(marker removed)`: any case, script, width, spacing, bracket or accent, also with
 * hidden characters or line breaks between their letters. Chat-template tokens, read the same way, become `(model token
 * <name> removed)`, hidden characters U+FFFD where ordinary writing has no use for them (`hidden.ts`). The rest stays
 * byte for byte. Linear in the text's length; doing it twice is doing it once.
 */
export function neutralize(text: string): string {
  return examine(text).text;
}

/** The same on one line: cut first, never inside a surrogate pair. @param maxLength in UTF-16 units */
export function neutralizeLine(text: string, maxLength = 200): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  return neutralize(line.slice(0, maxLength).replace(/[\ud800-\udbff]$/u, ''));
}

/** @param folded the same text, folded by the caller, who needs it too */
export function forgeriesIn(text: string, folded: Folded): Forgeries {
  return examine(text, folded);
}

function examine(text: string, folded = fold(text)): Forgeries & { readonly text: string } {
  const markers = findMarkers(folded);
  const tokens = findTokens(folded, text);
  if (markers.length + tokens.length === 0 && (folded.isPlain || !hidesAnything(text))) {
    return { text, markers: 0, tokens: 0, hidden: 0 };
  }
  let hidden = 0;
  const onShown = () => void (hidden += 1);
  const pieces: string[] = [];
  let at = 0;
  for (const { from, to, label } of mergeOverlaps(folded, markers, tokens)) {
    pieces.push(showHidden(text.slice(at, from), onShown), label);
    at = to;
  }
  pieces.push(showHidden(text.slice(at), onShown));
  return { text: pieces.join(''), markers: markers.length, tokens: tokens.length, hidden };
}

/** In the order of the given text and apart: what overlaps is taken out as one, as a marker if it has one. */
function mergeOverlaps(
  folded: Folded,
  markers: ReturnType<typeof findMarkers>,
  tokens: ReturnType<typeof findTokens>,
): readonly Forgery[] {
  const all = [
    ...markers.map((found) => ({ ...found, label: MARKER_LABEL })),
    ...tokens.map((found) => ({ ...found, label: tokenLabel(found.name) })),
  ].toSorted((one, other) => one.from - other.from);
  const apart: Forgery[] = [];
  for (const { from, to, label } of all) {
    const last = apart.at(-1);
    const found = { from: folded.at(from), to: folded.at(to), label };
    if (last === undefined || found.from >= last.to) apart.push(found);
    else {
      const isMarker = last.label === MARKER_LABEL || label === MARKER_LABEL;
      const end = Math.max(last.to, found.to);
      apart[apart.length - 1] = { ...last, to: end, label: isMarker ? MARKER_LABEL : last.label };
    }
  }
  return apart;
}
