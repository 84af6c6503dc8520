import { MappingOptions, OptionPlace, optionKeys } from '../../hooks/index.ts';
import { getField, getText, isRecord, nameOf } from '../../platform/objects.ts';
import { DEFAULT_PROVIDERS } from '../../service/index.ts';
import type { Sections } from '../../service/index.ts';

/** Something that is not taken over as it was, or that a person should look at. */
export interface MigrationNote {
  readonly key: string;
  /** Why it is not taken over, or what became of it. Never holds a secret. */
  readonly reason: string;
  /** What to do about it; undefined: nothing. */
  readonly todo?: string | undefined;
}

/** Where a mapping stands there, and what it meets here. */
export interface MappingPlace {
  readonly key: string;
  /** The `channels` section here. */
  readonly channels: unknown;
  /** Whether its preset `gmail` is on, which becomes our preset `mail`. */
  readonly hasMail: boolean;
}

const FIELDS = OptionPlace.of(MappingOptions);

/** Whether a field is taken over as it is, but for placeholders in its texts: ours have the same names. */
function isSame(field: string, action: string): boolean {
  if (!optionKeys(MappingOptions).includes(field)) return false;
  return FIELDS.at(field).traits.appliesTo?.includes(action) ?? true;
}

const PLACEHOLDER = /\{\{\s*([^}]+?)\s*\}\}/g;

/** One entry of its `hooks.mappings` as one of ours: what differs is rewritten, or noted where a person has to decide. */
export function migrateMapping(
  from: Sections,
  { key, channels, hasMail }: MappingPlace,
  notes: MigrationNote[],
): Sections {
  const note = (field: string, reason: string, todo?: string) =>
    notes.push({ key: `${key}.${field}`, reason, todo });
  const isWake = from['action'] === 'wake';
  const path = trimmedText(getField(from, 'match', 'path'))?.replace(/^\/+|\/+$/g, '');
  const source = trimmedText(getField(from, 'match', 'source'));
  const isMail = hasMail && !isWake && (path ?? source) === 'gmail';
  const fanOut = isMail ? 'messages' : trimmedText(from['forEach']);
  const migrated: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(from)) {
    if (field === 'match' || value === '' || value === null) continue;
    if (!isSame(field, isWake ? 'wake' : 'agent')) note(field, 'has no meaning here');
    else migrated[field] = typeof value === 'string' ? migrateTemplate(value, fanOut) : value;
  }
  if (isMail) {
    migrated['id'] = 'mail';
    note(
      'match',
      'became a mapping of preset mail: our watcher posts to /mail, one action per message',
      'if something else posts to /gmail, let it post to /mail',
    );
  } else {
    // Without a match it takes every name there; here its id would be its path.
    migrated['match'] = { ...(path && { path }), ...(source && { source }) };
    if (!path && !source) {
      note('match', 'is empty: it takes every name', 'add match.path, if that is not meant');
    }
  }
  if (migrated['channel'] !== undefined) migrateChannel(migrated, channels, note);
  if (migrated['transform'] !== undefined) {
    note(
      'transform',
      'runs in a sandbox here, without files, network, environment or Node modules',
      'read docs/mappings.md and adapt the module',
    );
  }
  if (migrated['allowUnsafeExternalContent'] === true) {
    note(
      'allowUnsafeExternalContent',
      'is carried over: what this hook is sent reaches the agent without the safety boundary',
      'remove it unless only your own systems can send to this hook',
    );
  }
  return migrated;
}

/** Channels are named by platform there and numbered here; `channels` may have bound the platform to another number. */
function migrateChannel(
  migrated: Record<string, unknown>,
  channels: unknown,
  note: (field: string, reason: string, todo?: string) => void,
): void {
  const name = nameOf(migrated['channel']).trim();
  const platform = name.toLowerCase();
  if (platform === 'last') return;
  const isBound = (id: string): boolean => isRecord(getField(channels, id));
  const serving = Object.entries(DEFAULT_PROVIDERS).flatMap(([id, usual]) =>
    (getText(channels, id, 'provider') ?? usual) === platform ? [id] : [],
  );
  const channel = serving.find(isBound) ?? serving[0];
  if (channel === undefined) {
    // Without a channel the reply would go to the last one: to somebody who was not meant.
    delete migrated['channel'];
    delete migrated['to'];
    migrated['deliver'] = false;
    const todo = 'set channel, to and deliver: true by hand (docs/channels.md)';
    note('channel', `no channel of ours serves ${name}; the reply is not delivered`, todo);
    return;
  }
  migrated['channel'] = channel;
  // As in `channel:C012` or `telegram:123`.
  const [, prefix = '', rest = ''] = /^([a-z]+):(.+)$/s.exec(getText(migrated, 'to') ?? '') ?? [];
  if (prefix === 'channel' || prefix === platform) migrated['to'] = rest;
  if (isBound(channel) || migrated['deliver'] === false) return;
  const todo = `set channels.${channel} (docs/channels.md, "${name}")`;
  note('channel', `${name} is ${channel} here, and has no credentials yet`, todo);
}

/** The trimmed text; undefined when it is none, or blank. */
export function trimmedText(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

/**
 * A template as one of ours. `item` and `index` mean the payload's own fields there, and so do what
 * stands below `path` and `now`.
 * @param fanOut the list that `forEach` names: there each action is shown a list of one, here its `item`.
 */
function migrateTemplate(template: string, fanOut: string | undefined): string {
  return template.replace(PLACEHOLDER, (written, path: string) => {
    const own = path.replace(/^payload\./, '');
    if (fanOut !== undefined && own.startsWith(`${fanOut}[0]`)) {
      return `{{ item${own.slice(fanOut.length + 3)} }}`;
    }
    const isOurs = /^(?:item|index)(?![^.[])|^(?:path|now)[.[]/.test(path);
    return isOurs ? `{{ payload.${path} }}` : written;
  });
}
