import { HttpError, sendHttp, withoutBody } from '../../platform/http-client.ts';
import type { Address, Question } from '../../service/index.ts';
import { error, info, ok, warning } from './check.ts';
import type { CheckResult, DoctorContext } from './check.ts';

const TIMEOUT_MS = 5000;

/** Asks every server once, all at the same time. @param none what is said when there is none to ask. */
export async function checkServers(
  addresses: readonly Address[],
  { reach, askMistake }: DoctorContext,
  none: string,
): Promise<readonly CheckResult[]> {
  if (addresses.length === 0) return [info(none)];
  return Promise.all(
    addresses.map(async ({ key, name, url, ...address }): Promise<CheckResult> => {
      // The path or the query may hold a secret.
      const origin = URL.parse(url)?.origin ?? key;
      const why = await reach(url);
      if (why === null) {
        const mistake = address.question && (await askMistake(address.question));
        if (mistake) return error(`${key}: ${mistake.what} (${origin})`, mistake.fix);
        return ok(`${key}: ${name} answers at ${origin}`);
      }
      const network = `check ${key}, the network and a firewall's rules for outgoing connections`;
      const what = `${key}: ${name} does not answer at ${origin} (${why})`;
      return warning(what, address.fix ?? network);
    }),
  );
}

/**
 * Null: it answered anything at all. Only its origin is asked, without path, token or body; a redirect is an answer.
 */
export async function reach(url: string): Promise<string | null> {
  const origin = URL.parse(url)?.origin;
  if (origin === undefined || origin === 'null') return 'no address of a server';
  try {
    await sendHttp(origin, { method: 'HEAD', timeoutMs: TIMEOUT_MS }).catch(withoutBody);
    return null;
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    if (error.kind === 'timed-out') return `nothing within ${TIMEOUT_MS / 1000} s`;
    // The system's own code: other words may hold more of the URL.
    return error.code ?? 'no answer';
  }
}

/** What the answer says is wrong. A redirect is not followed, so the token goes nowhere else. */
export async function askMistake({
  mistake,
  ...asked
}: Question): ReturnType<DoctorContext['askMistake']> {
  const { url, method, headers } = asked;
  try {
    const { status, json } = await sendHttp(url, { method, headers, timeoutMs: TIMEOUT_MS }).catch(
      withoutBody,
    );
    return mistake(status, json);
  } catch (failure) {
    // Whether the server is there is asked apart from this; the words of an error may hold the token.
    if (!(failure instanceof HttpError)) throw failure;
    return null;
  }
}
