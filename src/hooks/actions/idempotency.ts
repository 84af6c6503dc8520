// docs/design/actions.md
import { hash } from 'node:crypto';
import { senderApart } from '../ports/index.ts';
import type { IdempotencyKey, RuleScope } from '../ports/index.ts';
import { isRecord } from '../../platform/objects.ts';
import type { HookAction } from './hook-action.ts';
import type { HookRequest } from './hook-request.ts';

// By what a repeat of a request is known (behaviour.md §10). In this order, and the first there is counts: the key that
// the sender gave, the mapping's `dedupeKey` of each action, the sender's own id of the delivery. The signed text of a
// request counts besides, whatever else there is: whoever caught a signed request can vary all that is not signed.

const HOUR_MS = 3_600_000;

/** Longest key that is stored as it is, in characters. */
export const LONGEST_KEY = 256;

/** 132 bits of a SHA-256: nobody finds another content of the same digest. */
const DIGEST_CHARACTERS = 22;

/** None of these is made for us, so none is trusted to be unique: GitLab gives several events the same. */
const DELIVERY_ID_HEADERS = [
  'webhook-id',
  'svix-id',
  'x-github-delivery',
  'x-shopify-webhook-id',
  'linear-delivery',
  'x-gitlab-event-uuid',
  'x-request-uuid',
] as const;

export interface DedupeRule {
  /** Another body than that of the key's latest event is an event of its own. */
  readonly comparesBody: boolean;
  /** Among whose events it counts. */
  readonly scope: RuleScope;
}

const OF_THE_MAPPING: DedupeRule = { comparesBody: false, scope: 'mapping' };

interface KeyedHook {
  readonly hook: string;
  /** Absent for the built-in hooks. */
  readonly mapping?: string | undefined;
  readonly actions: readonly Pick<HookAction, 'dedupeKey'>[];
  readonly dedupe?: DedupeRule | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly failure?: object | undefined;
}

interface RequestKeys {
  readonly keys: readonly IdempotencyKey[];
  /** Of each action, in their order; undefined: none. */
  readonly byAction: readonly (IdempotencyKey | undefined)[];
}

const NONE: RequestKeys = { keys: [], byAction: [] };

export function limitKey(key: string): string {
  return key.length <= LONGEST_KEY ? key : sha256(key, 'hex');
}

/** The keys under which a request takes effect once. What broke has none, so that its sender's retry is tried anew. */
export function keysOf(
  request: Omit<HookRequest, 'settings'>,
  { hook, mapping, actions, dedupe = OF_THE_MAPPING, idempotencyKey, failure }: KeyedHook,
  idempotencyHours: number,
): RequestKeys {
  const { verifiedBy, signature, receivedAt } = request;
  if (failure !== undefined) return NONE;
  if (mapping === undefined && idempotencyKey === undefined) return NONE;
  const keepMs = idempotencyHours * HOUR_MS;
  let bodyDigest = request.payloadDigest;
  const digestBody = () => (bodyDigest ??= sha256(request.payloadText, 'base64'));
  const toKey = (
    [kind, ...scope]: readonly [kind: string, ...string[]],
    key: string,
    onOtherContent: IdempotencyKey['onOtherContent'],
    forMs = keepMs,
  ): IdempotencyKey => ({
    // The name of the hook stands last: it may have any character, what comes before it never has a line break.
    scope: [kind, ...scope].join('\n'),
    key: limitKey(key),
    digest: digestBody().slice(0, DIGEST_CHARACTERS),
    keepUntil: Math.ceil(receivedAt + forMs),
    onOtherContent,
  });

  const toDedupeKey = (key: string): IdempotencyKey => {
    const onOtherContent = dedupe.comparesBody ? 'latest' : 'repeat';
    const shared = toKey(['dedupe', mapping ?? hook], key, onOtherContent);
    const sender = senderApart(dedupe.scope, verifiedBy);
    if (sender === null) return shared;
    const own = toKey(['dedupe-of', sender, mapping ?? hook], key, onOtherContent);
    return { ...own, former: { scope: shared.scope, verifiedBy } };
  };

  const keys: IdempotencyKey[] = [];
  const cloudEvent = cloudEventId(request);
  // An operator's own key counts whatever comes; that of a preset is a guess, and a CloudEvent says its name itself.
  const isNamed = idempotencyKey !== undefined || (dedupe.comparesBody && cloudEvent !== null);
  const byAction = actions.map(({ dedupeKey }) =>
    isNamed || dedupeKey === undefined ? undefined : toDedupeKey(dedupeKey),
  );
  if (idempotencyKey !== undefined) {
    keys.push(toKey(['key', verifiedBy, hook], idempotencyKey, 'conflict'));
  } else if (mapping !== undefined && (actions.length === 0 || byAction.includes(undefined))) {
    const delivery = signature?.deliveryId ?? deliveryIdOf(request.headers, cloudEvent);
    // Where the body alone was signed, what was signed is known by itself, and says all that an unsigned id could.
    const isKnownByBody = signature?.coversBody === true && signature.signedDigest === digestBody();
    if (delivery !== undefined && !isKnownByBody) {
      const onOtherContent = delivery.isSigned ? 'repeat' : 'new';
      keys.push(toKey(['delivery', verifiedBy, hook], delivery.id, onOtherContent));
    }
  }
  if (signature?.signedDigest !== undefined && namesOneRequest(signature)) {
    const { signedDigest, toleranceSeconds } = signature;
    // A signed time may be as far ahead as it may be old. It is compared when the head arrives: the body takes its time
    // after that (`bodyTimeoutSeconds`, twice at worst: 20 minutes), and must not outlast what is remembered.
    const freshMs = toleranceSeconds === undefined ? 0 : 2 * toleranceSeconds * 1000 + HOUR_MS;
    const forMs = Math.max(keepMs, freshMs);
    keys.push(toKey(['signed', verifiedBy, hook], signedDigest, 'conflict', forMs));
  }
  return { keys, byAction };
}

/** Whether a scope is that of signed texts: what conflicts there is a signature under a body it was not made for. */
export function isOfSignedText(scope: string): boolean {
  return scope.startsWith('signed\n');
}

/** Not every signature does: one of nothing but a time is the same for unrelated requests. */
function namesOneRequest({ coversBody, deliveryId }: NonNullable<HookRequest['signature']>) {
  return coversBody || deliveryId?.isSigned === true;
}

function deliveryIdOf(
  headers: HookRequest['headers'],
  cloudEvent: string | null,
): { readonly id: string; readonly isSigned: boolean } | undefined {
  if (cloudEvent !== null) return { id: cloudEvent, isSigned: false };
  for (const name of DELIVERY_ID_HEADERS) {
    const id = headers[name]?.trim() ?? '';
    if (id !== '') return { id, isSigned: false };
  }
  return undefined;
}

/** What names a CloudEvent, in binary or in structured mode: its source and its id together. Null: it is none. */
function cloudEventId({
  headers,
  payload,
}: Pick<HookRequest, 'headers' | 'payload'>): string | null {
  const isStructured = isRecord(payload) && typeof payload['specversion'] === 'string';
  const { source, id }: Readonly<Record<string, unknown>> = isStructured
    ? payload
    : { source: headers['ce-source'], id: headers['ce-id'] };
  if (typeof source !== 'string' || typeof id !== 'string' || source === '' || id === '')
    return null;
  // No source should have a blank, and whoever sends one says nothing that another source and id could say.
  return source.includes(' ') ? ` ${JSON.stringify([source, id])}` : `${source} ${id}`;
}

function sha256(text: string, encoding: 'hex' | 'base64'): string {
  return hash('sha256', text, encoding);
}
