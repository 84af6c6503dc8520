import { errorCode } from '../../standalone/error-code.ts';

/** How long a server may take to answer at all. */
const TIMEOUT_MS = 5000;

/**
 * Whether a server is there: null when it answered anything at all, else the reason in a few words. Only its origin is
 * asked, without a path, a token or a body; a redirect is an answer.
 */
export async function reach(url: string): Promise<string | null> {
  const origin = URL.parse(url)?.origin;
  if (origin === undefined || origin === 'null') return 'no address of a server';
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const answer = await fetch(origin, { method: 'HEAD', redirect: 'manual', signal });
    await answer.body?.cancel();
    return null;
  } catch (error) {
    if (signal.aborted) return `nothing within ${TIMEOUT_MS / 1000} s`;
    return codeOf(error) ?? 'no answer';
  }
}

/** The system's own code; the library's words may hold more of the URL. */
function codeOf(error: unknown): string | undefined {
  for (let inner = error; typeof inner === 'object' && inner !== null;) {
    const code = errorCode(inner);
    if (code !== undefined) return code;
    inner = 'cause' in inner ? inner.cause : undefined;
  }
  return undefined;
}
