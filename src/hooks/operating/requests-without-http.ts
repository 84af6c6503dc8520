import { isCredential } from '../../platform/credentials.ts';
import type { HookRequest } from '../actions/hook-request.ts';
import { parseText } from '../http/content.ts';
import type { PathRule } from '../http/path-rules.ts';
import type { RequestTime } from '../http/stored-request.ts';
import { holdsSecret, ownSecrets } from '../options/index.ts';
import type { BodyKind } from '../options/index.ts';

/** A request that an operator writes, without anything that would prove a sender. */
export interface OwnRequest {
  /** What would stand behind the prefix: `wake`, `agent`, or a sub-path. */
  readonly hook: string;
  /** Any JSON value; to a path that takes forms or texts also the body itself, as a text. */
  readonly payload: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

interface OwnContext extends RequestTime {
  readonly rule: PathRule | undefined;
  readonly client: string;
  readonly verifiedBy: string;
}

/** The same as if it had come over HTTP: credentials are left out. @throws Rejection for a form or text that is none */
export function toHookRequest(
  { hook, payload, headers = {}, query = {} }: OwnRequest,
  { settings, rule, client, verifiedBy, receivedAt }: OwnContext,
): HookRequest {
  const secrets = ownSecrets(settings);
  const { value, text } = toContent(payload, rule?.body);
  return {
    name: hook,
    payload: value,
    payloadText: text,
    headers: withoutCredentials(headers, secrets, (name) => name.toLowerCase()),
    query: withoutCredentials(query, secrets, (name) => name),
    client,
    verifiedBy,
    receivedAt,
    settings,
  };
}

/** A text given for a form or a text is one that was not parsed yet; everything else is the payload itself. */
function toContent(
  payload: unknown,
  kind: BodyKind = 'json',
): { readonly value: unknown; readonly text: string } {
  return typeof payload === 'string' && kind !== 'json'
    ? parseText(Buffer.from(payload), kind)
    : { value: payload, text: JSON.stringify(payload) };
}

function withoutCredentials(
  fields: Readonly<Record<string, string>>,
  secrets: readonly string[],
  toName: (name: string) => string,
): Readonly<Record<string, string>> {
  const entries = Object.entries(fields).map(([name, value]) => [toName(name), value] as const);
  return Object.fromEntries(
    entries.filter(([name, value]) => !isCredential(name) && !holdsSecret(value, secrets)),
  );
}
