import { THINKING_LEVELS } from '../../hooks/index.ts';
import { isRecord } from '../../platform/objects.ts';
import { DEFAULT_PROVIDERS } from '../../service/index.ts';
import type { Sections } from '../../service/index.ts';
import { migrateTemplate, parseMatch, trimmedText } from './openclaw-config.ts';
import type { MigrationNote } from './openclaw-config.ts';

/*
 * One mapping of the other gateway. Fields of the same name mean nearly the same there; what differs is rewritten where a
 * text can say it here, and noted where a person has to decide.
 */

/** What a mapping is taken over into. */
export interface MappingPlace {
  /** Key of the mapping there, for notes. */
  readonly key: string;
  /** The `channels` section here. */
  readonly channels: unknown;
  /** Whether its preset `gmail` is on, which becomes our preset `mail`. */
  readonly hasMail: boolean;
}

/** Names of platforms that are other ones there. */
const OTHER_NAMES: Readonly<Record<string, string>> = { bluebubbles: 'imessage' };

/** Fields whose text is a template. */
const TEMPLATES = [
  'name',
  'sessionKey',
  'messageTemplate',
  'textTemplate',
  'to',
  'model',
  'thinking',
];
/** Fields that are taken over as they are. */
const PLAIN = ['id', 'action', 'wakeMode', 'agentId', 'sessionMode', 'forEach', 'deliver'];
const KNOWN = new Set([
  ...TEMPLATES,
  ...PLAIN,
  'match',
  'channel',
  'timeoutSeconds',
  'transform',
  'allowUnsafeExternalContent',
]);
/** Fields of agent actions only. */
const OF_AGENTS = [
  'name',
  'sessionKey',
  'sessionMode',
  'messageTemplate',
  'deliver',
  'channel',
  'to',
];
const NOT_OF_WAKES = new Set([...OF_AGENTS, 'model', 'thinking', 'timeoutSeconds']);
/** A day: the longest `timeoutSeconds` here. */
const LONGEST_SECONDS = 86_400;

/** One entry of its `hooks.mappings` as one of ours, and what could not be taken over. */
export function migrateMapping(
  mapping: Sections,
  place: MappingPlace,
): { mapping: Record<string, unknown>; notes: MigrationNote[] } {
  const migration = new MappingMigration(mapping, place);
  return { mapping: migration.mapping(), notes: migration.notes };
}

/** Builds the mapping field by field, and gathers notes on the way. */
class MappingMigration {
  readonly notes: MigrationNote[] = [];
  readonly #isWake: boolean;
  /** Whether it takes the place of the preset for Gmail, which is called mail here and comes item by item. */
  readonly #isMail: boolean;

  constructor(
    private readonly from: Sections,
    private readonly place: MappingPlace,
  ) {
    this.#isWake = from['action'] === 'wake';
    const { path, source } = parseMatch(from);
    this.#isMail =
      place.hasMail &&
      !this.#isWake &&
      (path === 'gmail' || (path === undefined && source === 'gmail'));
  }

  mapping(): Record<string, unknown> {
    const migrated: Record<string, unknown> = { ...this.#identity() };
    for (const key of PLAIN.slice(1)) this.#put(migrated, key, this.from[key]);
    for (const key of TEMPLATES) this.#put(migrated, key, this.#template(key));
    this.#channel(migrated);
    this.#thinking(migrated);
    this.#timeout(migrated);
    this.#unsafe(migrated);
    this.#transform(migrated);
    this.#unknown();
    return migrated;
  }

  #note(key: string, reason: string, todo?: string): void {
    this.notes.push({
      key: key === '' ? this.place.key : `${this.place.key}.${key}`,
      reason,
      ...(todo !== undefined && { todo }),
    });
  }

  /** Which requests it takes. Without a match it takes every name there; here its id would be its path. */
  #identity(): Record<string, unknown> {
    const id = trimmedText(this.from['id']);
    if (this.#isMail) {
      this.#note(
        '',
        'became a mapping of preset mail: our watcher posts to /mail, one action per message',
        'if something else posts to /gmail, let it post to /mail',
      );
      return { id: 'mail' };
    }
    const { path, source } = parseMatch(this.from);
    const match = { ...(path !== undefined && { path }), ...(source !== undefined && { source }) };
    if (path === undefined && source === undefined) {
      this.#note(
        'match',
        'is empty: it takes every name that no mapping before it takes',
        'add match.path, if that is not meant',
      );
    }
    if (id === 'mail' && this.place.hasMail) {
      this.#note('id', 'would change preset mail here, and is called mail-hook');
      return { id: 'mail-hook', match };
    }
    return { ...(id !== undefined && { id }), match };
  }

  #put(migrated: Record<string, unknown>, key: string, value: unknown): void {
    if (value === undefined || value === null || value === '') return;
    if (this.#isWake && NOT_OF_WAKES.has(key)) return this.#note(key, 'has no meaning for a wake');
    if (!this.#isWake && key === 'textTemplate')
      return this.#note(key, 'has no meaning for an agent action');
    if (typeof value === 'string' || typeof value === 'boolean') migrated[key] = value;
    else this.#note(key, 'is neither a text nor true or false');
  }

  #template(key: string): unknown {
    const value = this.from[key];
    const fanOut = this.#isMail ? 'messages' : trimmedText(this.from['forEach']);
    return typeof value === 'string' ? migrateTemplate(value, fanOut) : value;
  }

  /** Channels are named by platform there and numbered here. */
  #channel(migrated: Record<string, unknown>): void {
    const name = trimmedText(this.from['channel']);
    if (name === undefined || this.#isWake) return;
    const channel = migrateChannel(name, this.place.channels);
    if (channel === undefined) {
      // Without a channel the reply would go to the last one: to somebody who was not meant.
      delete migrated['to'];
      migrated['deliver'] = false;
      return this.#note(
        'channel',
        `no channel of ours serves ${name}; the reply is not delivered`,
        'set channel, to and deliver: true by hand (docs/channels.md)',
      );
    }
    migrated['channel'] = channel;
    const { to } = migrated;
    if (typeof to === 'string') migrated['to'] = migrateRecipient(to, name);
    const isBound = isRecord(this.place.channels) && isRecord(this.place.channels[channel]);
    if (channel !== 'last' && !isBound && migrated['deliver'] !== false) {
      this.#note(
        'channel',
        `${name} is ${channel} here, and has no credentials yet`,
        `set channels.${channel} (docs/channels.md, "${name}")`,
      );
    }
  }

  #thinking(migrated: Record<string, unknown>): void {
    const { thinking } = migrated;
    if (typeof thinking !== 'string' || thinking.includes('{{')) return;
    if (THINKING_LEVELS.some((level) => level === thinking.trim())) return;
    delete migrated['thinking'];
    this.#note(
      'thinking',
      'is a level that is not known here',
      `choose one of ${THINKING_LEVELS.join(', ')}`,
    );
  }

  #timeout(migrated: Record<string, unknown>): void {
    const seconds = this.from['timeoutSeconds'];
    if (seconds === undefined) return;
    if (this.#isWake) return this.#note('timeoutSeconds', 'has no meaning for a wake');
    if (typeof seconds !== 'number' || !(seconds > 0))
      return this.#note('timeoutSeconds', 'is no number over 0');
    migrated['timeoutSeconds'] = Math.min(seconds, LONGEST_SECONDS);
    if (seconds > LONGEST_SECONDS) this.#note('timeoutSeconds', 'is more than a day; a day is set');
  }

  #unsafe(migrated: Record<string, unknown>): void {
    if (this.from['allowUnsafeExternalContent'] !== true) return;
    migrated['allowUnsafeExternalContent'] = true;
    this.#note(
      'allowUnsafeExternalContent',
      'is carried over: what this hook is sent reaches the agent without the safety boundary',
      'remove it unless only your own systems can send to this hook',
    );
  }

  /** Modules are not copied: they have to be adapted by a person. */
  #transform(migrated: Record<string, unknown>): void {
    const transform = this.from['transform'];
    if (!isRecord(transform)) return;
    const module = trimmedText(transform['module']);
    const name = trimmedText(transform['export']);
    if (module === undefined) return this.#note('transform', 'names no module');
    migrated['transform'] = { module, ...(name !== undefined && { export: name }) };
    this.#note(
      'transform',
      'runs in a sandbox here, without files, network, environment or Node modules; its ctx has query in place of url; a result may not set allowUnsafeExternalContent or sessionKeySource',
      'read docs/mappings.md and adapt the module',
    );
  }

  #unknown(): void {
    for (const key of Object.keys(this.from)) {
      if (!KNOWN.has(key)) this.#note(key, 'is not known here');
    }
  }
}

/**
 * Our channel for a channel there, which is named by its platform.
 * @param channels the `channels` section that is there: it may have bound the platform to another number.
 * @returns undefined when no channel of ours can serve the platform.
 */
function migrateChannel(name: string, channels: unknown): string | undefined {
  const folded = name.trim().toLowerCase();
  if (folded === 'last') return 'last';
  const platform = OTHER_NAMES[folded] ?? folded;
  const bound = Object.entries(DEFAULT_PROVIDERS).map(([id, usual]) => {
    const entry = isRecord(channels) ? channels[id] : undefined;
    const provider = isRecord(entry) ? (entry['provider'] ?? usual) : usual;
    return { id, provider, isConfigured: isRecord(entry) };
  });
  const serving = bound.filter(({ provider }) => provider === platform);
  return (serving.find(({ isConfigured }) => isConfigured) ?? serving[0])?.id;
}

/** A recipient without the prefixes that are taken before it there, as in `channel:C012` or `telegram:123`. */
function migrateRecipient(to: string, channel: string): string {
  const [, prefix = '', rest = ''] = /^([a-z]+):(.+)$/s.exec(to) ?? [];
  return prefix === 'channel' || prefix === channel.trim().toLowerCase() ? rest : to;
}
