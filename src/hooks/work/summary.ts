import { DEFAULT_HOOK_NAME } from '../ports/index.ts';

/** Longest summary, in characters. */
const MAX_LENGTH = 2000;

/** What the main session is told of a run: `Hook <name>: <reply>`, or with `(error)`, `(timeout)`, `(delivery)`. */
export function summaryOf(
  name: string,
  kind: 'reply' | 'error' | 'timeout' | 'delivery',
  text: string,
): string {
  const who = name === DEFAULT_HOOK_NAME ? DEFAULT_HOOK_NAME : `${DEFAULT_HOOK_NAME} ${name}`;
  const what = kind === 'reply' ? '' : ` (${kind})`;
  return cut(`${who}${what}: ${text.trim() === '' ? '(no reply)' : text.trim()}`);
}

/** Never inside a surrogate pair. */
function cut(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  return `${text.slice(0, MAX_LENGTH - 1).replace(/[\ud800-\udbff]$/u, '')}…`;
}
