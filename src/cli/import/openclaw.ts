import { readFileSync } from 'node:fs';
import JSON5 from 'json5';
import { isRecord, nameOf } from '../../platform/objects.ts';
import type { Sections } from '../../service/index.ts';
import { CliError } from '../cli-error.ts';
import { asLine } from '../foreign-text.ts';
import { migrateMapping, trimmedText } from './openclaw-mapping.ts';
import type { MigrationNote } from './openclaw-mapping.ts';

/*
 * The hooks of an OpenClaw-style gateway in terms of ours. Nothing is written; what the service would refuse of it is left
 * out later (import-plan.ts), with the reason.
 */

/** One thing that is taken over: the value of a key of `hooks`, or an entry of a list. */
export interface MigratedPart {
  readonly kind: 'set' | 'append';
  readonly key: string;
  readonly value: unknown;
}

export interface Migration {
  readonly parts: readonly MigratedPart[];
  readonly notes: readonly MigrationNote[];
}

/** Keys that are the same here. Each is looked at with those before it: what bounds others comes first. */
const SAME: readonly string[] = [
  'token',
  'enabled',
  'path',
  'allowedAgentIds',
  'allowedSessionKeyPrefixes',
  'allowRequestSessionKey',
  'defaultSessionKey',
  'maxBodyBytes',
];

/** Keys that are set by hand here: why, and how. */
const BY_HAND: Readonly<Record<string, readonly [reason: string, todo: string]>> = {
  gmail: [
    'mail is not pushed here: the mailbox is read over IMAP, with a login of its own',
    'run "hooks mail setup" for its account, and end the Pub/Sub subscription once mail arrives',
  ],
  transformsDir: [
    'is a directory of that gateway',
    'copy its modules into the directory transforms beside gateway.json5, which needs no key',
  ],
  internal: ['are events inside that gateway, no webhooks', 'keep them there'],
  sessionRetention: [
    'sessions are kept by days here',
    'set store.eventDays (docs/configuration.md)',
  ],
};

/** The section `hooks` of such a configuration. @throws CliError */
export function readOpenClawHooks(path: string): Sections {
  let config: unknown;
  try {
    config = JSON5.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^JSON5: /, '') : String(error);
    throw new CliError(`${asLine(path)} cannot be read: ${asLine(reason)}`);
  }
  const hooks = isRecord(config) ? config['hooks'] : undefined;
  if (!isRecord(hooks)) {
    throw new CliError(
      `${asLine(path)} has no section "hooks"`,
      'name the configuration of the gateway, for example ~/.openclaw/openclaw.json',
    );
  }
  if ('$include' in hooks) {
    throw new CliError(
      `the section "hooks" of ${asLine(path)} is in another file ($include)`,
      'put its content in place of the $include, in a copy, and import the copy',
    );
  }
  return hooks;
}

/** @param channels the `channels` section here */
export function migrateHooks(hooks: Sections, channels: unknown): Migration {
  const parts: MigratedPart[] = [];
  const notes: MigrationNote[] = [];
  for (const key of SAME) {
    const value = key === 'token' ? tokenOf(hooks) : hooks[key];
    if (value !== undefined && value !== '') parts.push({ kind: 'set', key, value });
  }
  const presets = toList(hooks['presets']);
  for (const name of presets) {
    const key = 'hooks.presets';
    if (name !== 'gmail') notes.push({ key, reason: `${nameOf(name)} is no preset there` });
    else {
      parts.push({ kind: 'append', key: 'presets', value: 'mail' });
      const todo = 'let whatever posts to /gmail post to /mail';
      notes.push({ key, reason: 'gmail is called mail here and takes POST /mail', todo });
    }
  }
  for (const [index, from] of toList(hooks['mappings']).entries()) {
    const key = `hooks.mappings[${index}]`;
    if (isRecord(from)) {
      const place = { key, channels, hasMail: presets.includes('gmail') };
      const value = migrateMapping(from, place, notes);
      parts.push({ kind: 'append', key: 'mappings', value });
    } else notes.push({ key, reason: 'is no object' });
  }
  for (const key of Object.keys(hooks)) {
    if (SAME.includes(key) || key === 'presets' || key === 'mappings') continue;
    const [reason, todo] = BY_HAND[key] ?? ['is not known here'];
    notes.push({ key: `hooks.${key}`, reason, todo });
  }
  return { parts, notes };
}

/** As a text, or `{source: 'env', id: …}`; another secret store is none of ours. */
function tokenOf({ token }: Sections): unknown {
  if (!isRecord(token)) return trimmedText(token);
  const name = token['source'] === 'env' ? trimmedText(token['id']) : undefined;
  return name === undefined ? '${HOOK_TOKEN}' : `\${${name}}`;
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
