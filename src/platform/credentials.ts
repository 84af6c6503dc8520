import { isNumber } from './exact-json.ts';

/* Two rules: a header or a query parameter `key` opens something, a field `key` of a body names something. */

/** Anywhere in a name, of headers, query parameters and fields. */
const EVERYWHERE =
  /authorization|cookie|token|secret|signature|hmac|jwt|assertion|credential|passw|passphrase|passcode|client-?principal|client-?cert|client[-_]?state|oidc|(?:api|access|private|signing|subscription|encryption|licen[cs]e|stream|master|shared|auth|functions?|storage|webhook|hook)[-_. ]?key|session[-_. ]?id/;
const WORDS = /(?:^|[-_])(?:auth|sig|pwd|pass|dpop|otp|mac)(?:$|[-_])/;
/** Of headers and query parameters only. */
const IN_HEAD = /session|(?:^|[-_])(?:key|sign)$|^code$/;
/** Keys that open nothing: names of events, of repeats, of places in a queue. */
const HARMLESS_KEY =
  /(?:^|[-_])(?:event|idempotency|dedup|dedupe|routing|partition|ordering|group|message|delivery|object|issue|project|cache|public)[-_]key$/;

/** Senders use the same few names; judging each again would cost as much as parsing the body. */
function remembering(judge: (name: string) => boolean): (name: string) => boolean {
  const verdicts = new Map<string, boolean>();
  return (name) => {
    const known = verdicts.get(name);
    if (known !== undefined) return known;
    const verdict = judge(name);
    if (name.length > LONGEST_KEPT) return verdict;
    if (verdicts.size >= MOST_KEPT) verdicts.clear();
    verdicts.set(name, verdict);
    return verdict;
  };
}

const MOST_KEPT = 2000;
const LONGEST_KEPT = 100;

export const isCredential = remembering((name) => {
  const small = name.toLowerCase();
  if (EVERYWHERE.test(small) || WORDS.test(small)) return true;
  return IN_HEAD.test(small) && !HARMLESS_KEY.test(small);
});

export const isCredentialField = remembering((name) => {
  const small = name.replaceAll(/([a-z\d])([A-Z])/g, '$1-$2').toLowerCase();
  return EVERYWHERE.test(small) || WORDS.test(small);
});

export const LEFT_OUT = '[left out]';

export interface RedactionRule {
  /** Keys from the payload down; `[]` is every item of a list. */
  readonly path: readonly string[];
  /** True: shown whatever its name, with all that is in it. False: left out. */
  readonly keep: boolean;
}

/** Where the two say different things of one place, it is left out. */
export type Redaction = readonly RedactionRule[];

const ANY_ITEM = '[]';
const NO_RULES: Redaction = [];

/** The same value without credentials: with a copy of what is changed, and itself when nothing is. */
export function leaveOut(value: unknown, rules: Redaction = NO_RULES): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return leaveOutOf(value, rules);
  let copy: unknown[] | undefined;
  for (let index = 0; index < value.length; index += 1) {
    const item: unknown = value[index];
    const shown = show(item, false, stepInto(rules, String(index), true));
    if (shown !== item) (copy ??= [...value])[index] = shown;
  }
  return copy ?? value;
}

function leaveOutOf(value: object, rules: Redaction): object {
  let copy: object | undefined;
  for (const [key, child] of Object.entries(value)) {
    const shown = show(child, isCredentialIn(key, child), stepInto(rules, key, false));
    // Not an assignment: a field may be called `__proto__`.
    if (shown !== child) Object.defineProperty((copy ??= { ...value }), key, { value: shown });
  }
  return copy ?? value;
}

function show(child: unknown, isCredential: boolean, rules: Redaction): unknown {
  const verdict = verdictOf(rules);
  if (verdict === 'keep') return child;
  if (child === null || (verdict === undefined && !isCredential)) return leaveOut(child, rules);
  return LEFT_OUT;
}

/** Nothing and a switch are none, and neither is a number of tokens: models count theirs. */
function isCredentialIn(key: string, value: unknown): boolean {
  if (!isCredentialField(key) || value === '' || typeof value === 'boolean') return false;
  return !isNumber(value) || !/token/i.test(key);
}

function stepInto(rules: Redaction, key: string, isItem: boolean): Redaction {
  if (rules.length === 0) return NO_RULES;
  return rules.flatMap(({ path, keep }) => {
    const steps = isItem && path[0] === ANY_ITEM ? 1 : stepsTo(path, key);
    return steps === 0 ? [] : [{ path: path.slice(steps), keep }];
  });
}

/** How many steps of a path are that key, with dots between them; 0: it does not begin so. */
function stepsTo(path: readonly string[], key: string): number {
  let name = '';
  for (const [at, step] of path.entries()) {
    name += at === 0 ? step : `.${step}`;
    if (name === key) return at + 1;
    if (!key.startsWith(name)) return 0;
  }
  return 0;
}

function verdictOf(rules: Redaction): 'keep' | 'redact' | undefined {
  const own = rules.filter(({ path }) => path.length === 0);
  if (own.length === 0) return undefined;
  return own.every(({ keep }) => keep) ? 'keep' : 'redact';
}

/** @param place keys from the payload down */
export function leaveOutAt(value: unknown, place: readonly string[], rules: Redaction): unknown {
  let inside = rules;
  for (const key of place) {
    inside = stepInto(inside, key, /^\d+$/.test(key));
    if (verdictOf(inside) === 'keep') return value;
  }
  return leaveOut(value, inside);
}

/** `token=…`, `"apiKey": "…"`, `password: …` in running text; the name is judged as that of a field. */
const NAMED_VALUE = /([\w.-]{2,60})(["']?\s{0,3}[=:]\s{0,3}["']?)([^\s"'&,;<>]+)/g;
/** What stands behind the name of a scheme, and before the host of a URL. */
const PRESENTED =
  /\b([Bb]earer|[Bb]asic)(\s+)(?=[\w.~+/-]*(?:[\d=]|[a-z][A-Z]))[\w.~+/=-]{8,}|:\/\/[^\s/@]+@/g;
const KNOWN_TOKEN =
  /\b(?:gh[opsur]_|github_pat_|glpat-|xox[abeprs]-|xapp-|sk-|[rs]k_live_|whsec_|AKIA|eyJ)[\w.-]{12,}/g;

/** Running text without what looks like a credential in it: a guess, for places where text is only glanced at. */
export function leaveOutOfText(text: string): string {
  return text
    .replace(PRESENTED, (_match, scheme: string | undefined, blank: string) =>
      scheme === undefined ? `://${LEFT_OUT}@` : `${scheme}${blank}${LEFT_OUT}`,
    )
    .replace(KNOWN_TOKEN, LEFT_OUT)
    .replace(NAMED_VALUE, (match, name: string, between: string, value: string) =>
      isCredentialField(name) && !value.startsWith('[') ? `${name}${between}${LEFT_OUT}` : match,
    );
}
