import { fold } from './fold.ts';
import { forgeriesIn } from './neutralize.ts';

/** What foreign text tries, as far as it is known by its words (the first four) or its characters. */
export type Signal =
  keyof typeof INJECTION_PHRASES | 'marker' | 'template-token' | 'invisible' | 'hidden-text';

export type Signals = Readonly<Partial<Record<Signal, number>>>;

/** How known injections are worded: one of the words, then the rest (regular expressions, bounded everywhere). */
interface Phrase {
  readonly words: string;
  readonly rest: string;
}

const FILLERS =
  '(?:(?:all|any|every|each|the|this|that|these|those|your|my|our|of|to|me|us|you|were|was|a|an|previous|prior|preceding|above|earlier|former|foregoing|existing|current|other|full|entire|complete|exact|hidden|secret|initial|original|private|internal|system|developer|safety|given|provided|following) {1,8}){0,6}';

/** English only, easy to get around: a match makes an operator look, it stops nobody. A blank is any white space. */
const INJECTION_PHRASES = {
  override: [
    {
      words: 'ignore|disregard|forget|override|bypass|overrule',
      rest: ` {1,8}${FILLERS}(?:instructions?|prompts?|rules|directions|directives|guidelines|messages|context|commands|constraints|restrictions|guardrails)`,
    },
    { words: 'new|updated|revised|actual', rest: ' {1,8}(?:instructions?|task|objective) {0,8}:' },
    { words: 'from now on', rest: ',? {1,8}you' },
    { words: 'stop following', rest: '' },
  ],
  role: [
    {
      words: 'you are now|you are no longer|pretend to be|pretend that you|act as if you',
      rest: '',
    },
    { words: 'act as an?', rest: ' {1,8}(?:unrestricted|uncensored|admin|root|developer|system)' },
    { words: 'developer mode|god mode|admin mode|debug mode|jailbreak|dan mode', rest: '' },
    {
      words: 'system|developer|assistant|instructions?',
      rest: '(?<=(?:^|\\n)[#*> ]{0,8}\\w{1,12})(?: {1,2}(?:prompt|message|note|override))?[ *]{0,4}:',
    },
  ],
  exfiltration: [
    {
      words:
        'reveal|print|show|repeat|output|leak|expose|disclose|dump|exfiltrate|send|share|give|tell|display|recite',
      rest: ` {1,8}${FILLERS}(?:prompts?|instructions|secrets?|credentials?|passwords?|passphrase|keys?|api.keys?|access.tokens?|tokens?|environment variables|env)\\b`,
    },
    {
      words: 'what (?:is|are|was|were) your',
      rest: ' {1,8}(?:\\w{1,12} {1,8}){0,2}(?:prompt|instructions)',
    },
  ],
  tool: [
    {
      words: 'run|execute|call|invoke|use',
      rest: ` {1,8}${FILLERS}(?:\\w{1,24} {1,8})?(?:tools?|functions?|commands?|shell|bash|terminal)\\b`,
    },
    { words: 'rm', rest: ' {1,8}-rf' },
    { words: 'curl', rest: ' [^\\n|]{1,200}\\| {0,8}(?:ba|z)?sh' },
  ],
} as const satisfies Record<string, readonly Phrase[]>;

const KINDS = ['override', 'role', 'exfiltration', 'tool'] as const;
/** The words are searched first, what follows them is read only where one was found: most words are innocent. */
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

/** What the mail watcher writes where the HTML of a mail hides text (src/mail/message.ts). */
const HIDDEN_TEXT = /\(\d{1,7} characters may be unseen\)/;

/** How much of a text is read, in characters, because somebody waits meanwhile. */
const MAX_READ = 65_536;

/**
 * A hint for the operator, never a reason to refuse. Linear, 10 to 30 µs for 1 KB; the first 65,536 characters only.
 */
export function signalsOf(texts: readonly string[]): Signals {
  const counts: Partial<Record<Signal, number>> = {};
  const count = (kind: Signal, by: number) => {
    if (by > 0) counts[kind] = (counts[kind] ?? 0) + by;
  };
  for (const whole of texts) {
    const text = whole.slice(0, MAX_READ);
    const folded = fold(text);
    const { markers, tokens, hidden } = forgeriesIn(text, folded);
    count('marker', markers);
    count('template-token', tokens);
    count('invisible', hidden);
    // Behind the text of a mail, which may be longer than what is read.
    if (HIDDEN_TEXT.test(whole)) count('hidden-text', 1);
    // Not `matchAll`, which makes a new expression for each text: that costs more than the search.
    WORDS.lastIndex = 0;
    for (let word = WORDS.exec(folded.text); word !== null; word = WORDS.exec(folded.text)) {
      const { index } = word;
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
