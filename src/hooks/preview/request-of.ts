import { isCredential } from '../http/door/request-headers.ts';
import type { HookRequest } from '../ingest/hook-request.ts';
import type { PreviewRequest } from './preview.ts';

/** The request as the endpoints would see it, sent with a right token. */
export function requestOf(
  { hook, payload, headers = {}, query = {} }: PreviewRequest,
  receivedAt: number,
): HookRequest {
  return {
    name: hook,
    payload,
    payloadText: JSON.stringify(payload),
    headers: withoutCredentials(lowerCase(headers)),
    query: withoutCredentials(query),
    client: 'preview',
    verifiedBy: 'token',
    receivedAt,
  };
}

type Fields = Readonly<Record<string, string>>;

function lowerCase(fields: Fields): Fields {
  const entries = Object.entries(fields);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

function withoutCredentials(fields: Fields): Fields {
  const entries = Object.entries(fields);
  return Object.fromEntries(entries.filter(([name]) => !isCredential(name.toLowerCase())));
}
