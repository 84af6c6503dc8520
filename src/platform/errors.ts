import { getField } from './objects.ts';

/** Messages of libraries may hold URLs, and URLs tokens: of an outgoing request say its {@link errorCode} alone. */

const MOST_CAUSES = 5;

/** Codes of the system and of Node: `ECONNREFUSED`, `UND_ERR_SOCKET`, `ERR_INVALID_URL`. */
const CODE = /^[A-Z][A-Z\d_]+$/;

/** The system's code of an error, for example `ENOENT`, on the error itself or on what caused it. */
export function errorCode(error: unknown): string | undefined {
  return causedBy(error, (cause) => textOfForm(cause, 'code', CODE));
}

/** The system call that failed, for example `connect`, on the error itself or on what caused it. */
export function failedCall(error: unknown): string | undefined {
  return causedBy(error, (cause) => textOfForm(cause, 'syscall', /^[a-z]+$/));
}

export function isCausedBy(error: unknown, name: string): boolean {
  return causedBy(error, (cause) => getField(cause, 'name') === name || undefined) === true;
}

/** `TypeError: x is not a function`, in one line; of something that is no error only its type, since it may hold anything. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return inOneLine(`${error.name}: ${error.message}`);
}

/** The message of an error in one line, of whichever realm (SQLite's in tests); anything else as text. */
export function errorMessage(error: unknown): string {
  const message = getField(error, 'message');
  return inOneLine(typeof message === 'string' ? message : String(error));
}

function inOneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/** The first answer of an error and its causes; of an attempt at several addresses the first one counts. */
function causedBy<T>(error: unknown, look: (cause: unknown) => T | undefined): T | undefined {
  let cause = error;
  for (let depth = 0; depth < MOST_CAUSES && cause !== undefined; depth += 1) {
    const found = look(cause);
    if (found !== undefined) return found;
    cause = getField(cause, 'cause') ?? getField(cause, 'errors', 0);
  }
  return undefined;
}

function textOfForm(value: unknown, key: string, form: RegExp): string | undefined {
  const found = getField(value, key);
  return typeof found === 'string' && form.test(found) ? found : undefined;
}
