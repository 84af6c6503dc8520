import { fold } from './fold.ts';
import { INJECTION_PHRASES } from './injection-phrases.ts';
import { forgeriesIn } from './neutralize.ts';

/** What foreign text tries, as far as it is known by its words (the first four) or its characters. */
export type Signal = keyof typeof INJECTION_PHRASES | 'marker' | 'template-token' | 'invisible';

/** How often each was seen; only those that were. */
export type Signals = Readonly<Partial<Record<Signal, number>>>;

const KINDS = ['override', 'role', 'exfiltration', 'tool'] as const;
/** First a look for the words, then at what follows: most words are innocent. */
const WORDS = pattern(
  KINDS.flatMap((kind) => INJECTION_PHRASES[kind].map(({ words }) => words)),
  'g',
);
const PHRASES = KINDS.map((kind) => ({
  kind,
  phrase: pattern(
    INJECTION_PHRASES[kind].map(({ words, rest }) => `(?:${words})${rest}`),
    'y',
  ),
}));

/** Longest part of a text that is looked at, in characters: it happens while a sender waits. */
const LOOKED_AT = 65_536;

/**
 * Counts what is known of injections in foreign texts, as a reader would see them; linear, 10 to 30 µs for 1 KB, and
 * never more than the first 65,536 characters of a text.
 * A signal is a hint for the operator: never a reason to refuse, and never all there is.
 */
export function signalsOf(texts: readonly string[]): Signals {
  const counts: Partial<Record<Signal, number>> = {};
  const count = (kind: Signal, by: number) => {
    if (by > 0) counts[kind] = (counts[kind] ?? 0) + by;
  };
  for (const whole of texts) {
    const text = whole.slice(0, LOOKED_AT);
    const folded = fold(text);
    const { markers, tokens, hidden } = forgeriesIn(text, folded);
    count('marker', markers);
    count('template-token', tokens);
    count('invisible', hidden);
    for (const { index } of folded.text.matchAll(WORDS)) {
      const known = PHRASES.find(({ phrase }) => matchesAt(phrase, folded.text, index));
      if (known !== undefined) count(known.kind, 1);
    }
  }
  return counts;
}

function matchesAt(phrase: RegExp, text: string, index: number): boolean {
  phrase.lastIndex = index;
  return phrase.test(text);
}

function pattern(alternatives: readonly string[], flags: string): RegExp {
  return new RegExp(`\\b(?:${alternatives.join('|')})`.replaceAll(' ', '\\s'), `i${flags}`);
}
