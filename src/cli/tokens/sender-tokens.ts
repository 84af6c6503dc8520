import { secretName, writtenDigest, writtenTokens } from '../../hooks/index.ts';
import { getField, isRecord } from '../../platform/objects.ts';
import {
  inspectConfiguration,
  newToken,
  readTokenUses,
  removeFragment,
} from '../../service/index.ts';
import type { Environment, Inspection, Sections } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { CommandContext } from '../command.ts';
import {
  PlannedFiles,
  fragmentFile,
  fragmentSections,
  withoutFragment,
} from '../config/planned-files.ts';

/*
 * Senders whose tokens `hooks token` and `hooks setup` made: one fragment each, `gateway.d/token-<id>.json5`, which holds digests alone. A
 * running service notices it like any change of its configuration.
 */

/** `hooks.tokens[]` as a fragment holds it, the oldest secret first. */
export interface Sender {
  readonly id: string;
  readonly tokens: readonly string[];
  readonly hooks: readonly string[];
  readonly notAfter?: string;
}

/** One secret as an operator sees it. */
export interface ShownToken {
  /** Null: `hooks.token`. */
  readonly id: string | null;
  /** The beginning of its digest: tells several secrets of one sender apart. */
  readonly secret: string;
  readonly hooks: readonly string[];
  /** ISO 8601; null: no end. */
  readonly notAfter: string | null;
  /** ISO 8601; null: not since it is there. */
  readonly lastUsedAt: string | null;
  /** Where it is written. */
  readonly file: string;
}

/** @throws CliError for a text that no sender can have as its id */
export function checkId(id: string): void {
  if (/^[a-z0-9][\w.-]{0,63}$/i.test(id)) return;
  throw new CliError(
    'this cannot name a sender',
    'use 1 to 64 letters, digits, ".", "_" or "-", such as uptime-kuma',
    EXIT.usage,
  );
}

/** The sender of that id, as its fragment says; undefined: no command has made one. */
export function keptSender({ files }: Inspection, id: string): Sender | undefined {
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

/** A sender that is to have one more secret. */
export interface WantedToken {
  readonly id: string;
  /** Undefined: those it has; of a new sender the one of its own name. */
  readonly hooks: readonly string[] | undefined;
  /** Undefined: as it is. */
  readonly notAfter: string | undefined;
}

/**
 * Gives a sender, which may be new, one more secret; those that it has go on counting.
 * @param command what the fragment names as its author
 * @returns the token, of which only the digest is kept, and the sender as it is now
 * @throws CliError; nothing was changed then
 */
export async function addToken(
  here: Inspection,
  { id, hooks, notAfter }: WantedToken,
  env: Environment,
  command: string,
): Promise<{ token: string; sender: Sender; file: string }> {
  checkId(id);
  refuseBroken(here);
  const elsewhere = otherFileOf(here, id);
  if (elsewhere !== undefined) {
    throw new CliError(
      `${elsewhere} has a sender "${id}" already`,
      'your own files are not edited: add a token there, or give another name',
    );
  }
  const kept = keptSender(here, id);
  const end = notAfter ?? kept?.notAfter;
  const token = newToken();
  const sender = {
    id,
    hooks: hooks ?? kept?.hooks ?? [id],
    ...(end !== undefined && { notAfter: end }),
    tokens: [...(kept?.tokens ?? []), writtenDigest(token)],
  };
  return { token, sender, file: await writeSender(here, sender, env, command) };
}

/**
 * Writes the fragment of a sender; without a secret it is removed.
 * @returns the file
 * @throws CliError when the configuration would not be taken with it; nothing is changed then
 */
export async function writeSender(
  here: Inspection,
  sender: Sender,
  env: Environment,
  command: string,
): Promise<string> {
  const name = fragmentName(sender.id);
  if (sender.tokens.length === 0) {
    const fragments = withoutFragment(here.files, name);
    refuseProblems(await inspectConfiguration(here.dir, env, { ...here.files, fragments }));
    removeFragment(here.dir, name);
    return fragmentFile(name);
  }
  const sections: Sections = { hooks: { tokens: [sender] } };
  const fragment = { name, sections, shown: sections, command };
  const files = new PlannedFiles(here.dir, here.files, fragment, undefined);
  refuseProblems(await files.inspect(env));
  files.write();
  return fragmentFile(name);
}

/** @throws CliError when there is nothing that a token could be added to, or taken from */
export function refuseBroken({ isDemo, problems }: Inspection): void {
  if (isDemo) {
    throw new CliError(
      'there is no gateway.json5 here: the demo has one token of its own',
      'write a gateway.json5 first (docs/configuration.md), or set GATEWAY_CONFIG_DIR',
    );
  }
  if (problems.length === 0) return;
  throw new CliError(
    'the configuration that is here has problems itself',
    'see "hooks config check"',
  );
}

/** Every secret of the configuration, `hooks.token` first. */
export async function shownTokens({ resolved, merged }: Inspection): Promise<ShownToken[]> {
  if (resolved === undefined) return [];
  const uses = await readTokenUses(resolved.store.dir);
  return writtenTokens(resolved.hooks).map(({ key, id, text, hooks, endsAt }) => {
    const secret = secretName(text);
    const usedAt = uses.get(secret);
    return {
      id,
      secret,
      hooks,
      notAfter: Number.isFinite(endsAt) ? new Date(endsAt).toISOString() : null,
      lastUsedAt: usedAt === undefined ? null : new Date(usedAt).toISOString(),
      file: merged.filesOf(key)[0],
    };
  });
}

/** Names that hooks have by their configuration, the built-in ones included; undefined: a mapping takes any. */
export function knownHooks({ resolved }: Inspection): ReadonlySet<string> | undefined {
  const { endpoints, mappings, presets } = resolved?.effective.hooks ?? {};
  const paths = (mappings ?? []).map(({ id, match }) => (match === undefined ? id : match.path));
  if (paths.includes(undefined)) return undefined;
  const builtIn = Object.entries(endpoints ?? {}).flatMap(([name, isOn]) => (isOn ? [name] : []));
  return new Set([...builtIn, ...(presets ?? []), ...paths.map(String)]);
}

function fragmentName(id: string): string {
  return `token-${id}`;
}

function refuseProblems({ problems }: Inspection): void {
  if (problems.length === 0) return;
  const sentences = problems.map(({ key, message }) => `${key} ${message}`);
  throw new CliError('nothing was changed: this would be refused', sentences.join('\n  '));
}

/** The token of a sender after `hooks setup`. */
export interface GivenToken {
  /** Undefined: it has one already, of which only the digest is kept. */
  readonly token: string | undefined;
  /** The file that has it now; undefined: nothing was written. */
  readonly file: string | undefined;
  /** How many it has. */
  readonly count: number;
}

/**
 * Gives a sender that sends a token one of its own, for its hook and no other.
 * @param id of its preset, which names it in stories, too
 * @param rotate one more where it has some
 * @throws CliError where its tokens stand in a file of the operator's
 */
export async function giveToken(
  { inspect, env }: Pick<CommandContext, 'inspect' | 'env'>,
  id: string,
  path: string,
  rotate: boolean,
): Promise<GivenToken> {
  const here = await inspect();
  const count = keptSender(here, id)?.tokens.length ?? 0;
  const isThere = count > 0 || otherFileOf(here, id) !== undefined;
  if (isThere && !rotate) return { token: undefined, file: undefined, count };
  const wanted = { id, hooks: [path], notAfter: undefined };
  const { token, sender, file } = await addToken(here, wanted, env, 'hooks setup');
  return { token, file, count: sender.tokens.length };
}
