import { Injectable } from '@nestjs/common';
import { newId } from '../../platform/new-id.ts';
import { fitsPrefix } from '../options/index.ts';
import type { ResolvedHooksOptions } from '../options/index.ts';
import { Rejection } from '../ports/rejection.ts';

/** Longest session key, in characters. */
const MAX_KEY_LENGTH = 256;
const UNSAFE_IN_DERIVED_KEY = /[^A-Za-z0-9._:@/+-]/gu;
/** Control and format characters (of the direction, of no width), separators of lines, halves of characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029\p{Cs}]/u;

export interface NamedKey {
  readonly key: string;
  readonly from: 'request' | 'mapping';
  /** Set when a payload touched it: the literal text that the mapping begins the key with. */
  readonly derivedAfter?: string;
}

/** Which session a run belongs to (behaviour.md §6). Every key, whoever made it, passes through here. */
@Injectable()
export class SessionPolicy {
  /** The short key, without the agent's own `agent:<id>:`. @throws Rejection session_key_not_allowed */
  resolve(named: NamedKey | undefined, agentId: string, { hooks }: ResolvedHooksOptions): string {
    if (named !== undefined) return ownKey(checkNamed(named, hooks), agentId);
    if (hooks.defaultSessionKey !== undefined)
      return ownKey(hooks.defaultSessionKey.trim(), agentId);
    // Ids that rise: what is filed by session is written side by side.
    return `hook:${newId()}`;
  }
}

function refuse(reason: string): never {
  throw new Rejection('session_key_not_allowed', reason);
}

function checkNamed(named: NamedKey, hooks: ResolvedHooksOptions['hooks']): string {
  if (named.from === 'request' && !hooks.allowRequestSessionKey) {
    refuse('Leave sessionKey out; hooks.allowRequestSessionKey is false');
  }
  const key = named.derivedAfter === undefined ? named.key.trim() : deriveKey(named);
  const prefixes = hooks.allowedSessionKeyPrefixes ?? [];
  if (prefixes.length > 0 && !fitsPrefix(key, prefixes)) {
    refuse(`Begin sessionKey with one of ${prefixes.join(', ')}`);
  }
  if (key.length > MAX_KEY_LENGTH)
    refuse(`Send a sessionKey of at most ${MAX_KEY_LENGTH} characters`);
  if (UNSEEN.test(key)) {
    refuse(
      'Send a sessionKey without control characters, format characters and halves of characters',
    );
  }
  return key;
}

/** A payload may fill in a part of a key, never choose the session: it cannot begin it, nor reach `main` or an agent's own. */
function deriveKey({ key, derivedAfter = '' }: NamedKey): string {
  if (derivedAfter.trim() === '' || !key.startsWith(derivedAfter)) {
    refuse('The sessionKey of this mapping must begin with literal text');
  }
  const encoded = key.replace(UNSAFE_IN_DERIVED_KEY, percentEncode);
  if (/^(main$|agent:)/iu.test(encoded.trim())) {
    refuse('The sessionKey that the payload makes is reserved');
  }
  return encoded;
}

function percentEncode(character: string): string {
  return [...Buffer.from(character, 'utf8')]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}

function ownKey(key: string, agentId: string): string {
  if (!/^agent:/iu.test(key)) return key;
  const [, id = '', ...rest] = key.split(':');
  const short = rest.join(':').trim();
  if (id.toLowerCase() !== agentId || short === '' || /^agent:/iu.test(short)) {
    refuse(`Name a session of the agent that runs the hook (${agentId}), or a key without agent:`);
  }
  return short;
}
