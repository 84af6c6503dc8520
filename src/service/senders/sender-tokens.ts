import { SENDER_ID, endOf, writtenDigest } from '../../hooks/index.ts';
import { isDeepStrictEqual } from 'node:util';
import { getField, isRecord } from '../../platform/objects.ts';
import type { Environment } from '../configuration/environment.ts';
import { fragmentSections } from '../configuration/files.ts';
import { assertConfigured, changeFragment } from '../configuration/fragment-change.ts';
import { Written, fragmentFile } from '../configuration/fragments.ts';
import type { Inspection } from '../configuration/inspect.ts';
import { newToken } from '../configuration/token-file.ts';
import { ConfigurationUnchanged } from '../configuration/unchanged.ts';

/**
 * Senders whose tokens were made by the command or the console: `gateway.d/token-<id>.json5`, which holds digests
 * alone.
 */

/** `hooks.tokens[]` as a fragment has it written, the oldest secret first. */
export interface Sender {
  readonly id: string;
  readonly tokens: readonly string[];
  readonly hooks: readonly string[];
  readonly notAfter?: string;
}

export interface WantedToken {
  readonly id: string;
  /** Undefined: those it has; of a new sender the one of its own name. */
  readonly hooks: readonly string[] | undefined;
  /** Undefined: as it is. */
  readonly notAfter: string | undefined;
}

export interface MadeToken {
  /** Kept nowhere but here. */
  readonly token: string;
  readonly sender: Sender;
  readonly file: string;
}

/**
 * One more secret; those that it has go on counting.
 * @param author what the fragment names as its author
 * @param now epoch milliseconds
 * @throws ConfigurationUnchanged
 */
export async function addToken(
  here: Inspection,
  { id, hooks, notAfter }: WantedToken,
  env: Environment,
  author: string,
  now: number,
): Promise<MadeToken> {
  refuseUnusable(here, id);
  if (hooks?.some((hook) => hook.includes('${')) === true) {
    throw new ConfigurationUnchanged(
      'refused',
      'hooks are names; ${ belongs to the configuration files',
    );
  }
  const elsewhere = otherFileOf(here, id);
  if (elsewhere !== undefined) throw new ConfigurationUnchanged('elsewhere', elsewhere);
  const kept = keptSender(here, id);
  const end = notAfter ?? kept?.notAfter;
  refuseOver(end, now);
  const token = newToken();
  const sender = {
    id,
    hooks: hooks ?? kept?.hooks ?? [id],
    ...(end !== undefined && { notAfter: end }),
    tokens: [...(kept?.tokens ?? []), writtenDigest(token)],
  };
  return { token, sender, file: await writeSender(here, sender, env, author) };
}

export interface GivenToken {
  /** Undefined: it has one already, of which only the digest is kept. */
  readonly token: string | undefined;
  /** The file that has it now; undefined: nothing was written. */
  readonly file: string | undefined;
  /** How many it has. */
  readonly count: number;
}

/**
 * @param wanted its id is that of its preset; `rotate`: one more where it has some
 * @throws ConfigurationUnchanged where its tokens stand in a file of the operator's
 */
export async function giveToken(
  here: Inspection,
  { id, path, rotate }: { readonly id: string; readonly path: string; readonly rotate: boolean },
  env: Environment,
  author: string,
  now: number,
): Promise<GivenToken> {
  const count = keptSender(here, id)?.tokens.length ?? 0;
  const isThere = count > 0 || otherFileOf(here, id) !== undefined;
  if (isThere && !rotate) return { token: undefined, file: undefined, count };
  const wanted = { id, hooks: [path], notAfter: undefined };
  const { token, sender, file } = await addToken(here, wanted, env, author, now);
  return { token, file, count: sender.tokens.length };
}

/**
 * @param which `old`: all but the newest. Undefined: its only one
 * @returns how many it had, and has now; without any it is gone
 * @throws ConfigurationUnchanged
 */
export async function retireTokens(
  here: Inspection,
  id: string,
  which: 'old' | 'all' | undefined,
  env: Environment,
  author: string,
): Promise<{ readonly before: number; readonly left: number }> {
  refuseUnusable(here, id);
  const sender = keptSender(here, id);
  if (sender === undefined) {
    const elsewhere = otherFileOf(here, id);
    throw elsewhere === undefined
      ? new ConfigurationUnchanged('unknown')
      : new ConfigurationUnchanged('elsewhere', elsewhere);
  }
  const before = sender.tokens.length;
  if (before > 1 && which === undefined)
    throw new ConfigurationUnchanged('several', String(before));
  const tokens = which === 'old' ? sender.tokens.slice(-1) : [];
  if (tokens.length !== before) await writeSender(here, { ...sender, tokens }, env, author);
  return { before, left: tokens.length };
}

/** The sender of that id, as its fragment says; undefined: it was not made here. */
export function keptSender({ files }: Pick<Inspection, 'files'>, id: string): Sender | undefined {
  const sections = fragmentSections(files, fragmentName(id));
  const entry = getField(sections, 'hooks', 'tokens', 0);
  if (!isRecord(entry)) return undefined;
  const { token, tokens, hooks, notAfter } = entry;
  return {
    id,
    tokens: [token ?? [], tokens ?? []].flat().map(String),
    hooks: [hooks ?? []].flat().map(String),
    ...(typeof notAfter === 'string' && { notAfter }),
  };
}

/** The file, besides its own fragment, that has a sender of that id; undefined: none has. */
export function otherFileOf({ merged, written }: Inspection, id: string): string | undefined {
  const all = getField(written, 'hooks', 'tokens');
  if (!Array.isArray(all)) return undefined;
  const files = all.flatMap((entry, index) => {
    if (getField(entry, 'id') !== id) return [];
    return merged.filesOf(`hooks.tokens[${index}]`);
  });
  return files.find((file) => file !== fragmentFile(fragmentName(id)));
}

/** Those of these hooks that the configuration does not have by name; none where a mapping takes any. */
export function strangeHooks({ resolved }: Inspection, hooks: readonly string[]): string[] {
  const { endpoints, mappings, presets } = resolved?.effective.hooks ?? {};
  const paths = (mappings ?? []).map(({ id, match }) => (match === undefined ? id : match.path));
  if (paths.includes(undefined)) return [];
  const builtIn = Object.entries(endpoints ?? {}).flatMap(([name, isOn]) => (isOn ? [name] : []));
  const known = new Set([...builtIn, ...(presets ?? []), ...paths.map(String)]);
  return hooks.filter((hook) => !known.has(hook));
}

/** Refuses a token that would be dead at birth. What is no date is refused elsewhere. @throws ConfigurationUnchanged */
export function refuseOver(notAfter: string | undefined, now: number): void {
  const end = endOf(notAfter);
  if (!Number.isFinite(end) || end > now) return;
  throw new ConfigurationUnchanged(
    'refused',
    'notAfter is over already; give a day that is to come',
  );
}

/** Where there is nothing that a token could be added to, or taken from. @throws ConfigurationUnchanged */
export function refuseUnusable(here: Inspection, id: string): void {
  if (!SENDER_ID.test(id)) throw new ConfigurationUnchanged('bad-id');
  assertConfigured(here);
}

/** Writes the fragment of a sender; without a secret it is removed. @returns the file @throws ConfigurationUnchanged */
async function writeSender(
  here: Inspection,
  sender: Sender,
  env: Environment,
  author: string,
): Promise<string> {
  const kept = new Map(Object.entries(keptSender(here, sender.id) ?? {}));
  const entry = Object.entries(sender).map(([key, value]): [string, unknown] => {
    const isKept = isDeepStrictEqual(kept.get(key), value);
    return [key, isKept ? new Written(value) : value];
  });
  const name = fragmentName(sender.id);
  const sections =
    sender.tokens.length === 0 ? undefined : { hooks: { tokens: [Object.fromEntries(entry)] } };
  await changeFragment(here, { name, sections, command: author }, env);
  return fragmentFile(name);
}

function fragmentName(id: string): string {
  return `token-${id}`;
}
