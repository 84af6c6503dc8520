import { schemes, signRequest } from '../hooks/index.ts';

/** What `inject` of Nest on Fastify takes beside `url`, and `fetch` behind it. */
export interface SignedRequest {
  readonly method: 'POST';
  readonly headers: Record<string, string>;
  readonly body: string;
}

/**
 * A request, signed as its sender would.
 * @example await app.inject({ url: '/hooks/github', ...signed('github', secret, { action: 'opened' }) })
 * @param scheme id of the scheme, as in `verify: { scheme }`
 * @param secret as in `verify: { secrets }`; of schemes with a public key its private half, in PEM
 * @param body a text as it is, anything else as JSON
 * @param more headers besides, such as `x-github-event`; the `url` that the sender calls, for schemes that sign it; the
 * time of the signature, in epoch milliseconds
 * @throws Error for an unknown scheme, or one that cannot sign this
 */
export function signed(
  scheme: string,
  secret: string,
  body: unknown,
  {
    headers,
    url,
    now = Date.now(),
  }: { headers?: Record<string, string>; url?: string; now?: number } = {},
): SignedRequest {
  const known = schemes.get(scheme);
  if (known === undefined) {
    throw new Error(`there is no scheme ${scheme}; known are ${[...schemes.keys()].join(', ')}`);
  }
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const isKey = secret.includes('PRIVATE KEY');
  const key = isKey ? { privateKey: secret } : {};
  const made = signRequest(known, { secret, ...key, body: bytes, headers, url, now });
  return { method: 'POST', headers: made.headers, body: made.body.toString() };
}
