import { isDeepStrictEqual } from 'node:util';
import { getField, isRecord } from '../../platform/objects.ts';
import { literal } from '../../service/index.ts';
import type { Environment, Sections } from '../../service/index.ts';
import { MAIL_PASSWORD, migrateMail } from './migrate-mail.ts';
import { migrateMapping } from './migrate-mapping.ts';
import { migrateTexts, referencedNames, trimmedText } from './openclaw-config.ts';
import type { MigrationNote, OpenClawConfig } from './openclaw-config.ts';

/*
 * The translation of another gateway's hooks: a list of parts, each of which can be left out again when the service would
 * refuse it, and notes about everything that is not the same here. Nothing is read or written.
 */

/** What is here already, the fragment of an earlier import left out. */
export interface Present {
  /** The sections as written; undefined where there is no configuration. */
  readonly sections: Sections | undefined;
  /** The environment, `.env` included. */
  readonly env: Environment;
}

/** One thing that is taken over: the value of a key of `hooks`, or an entry of a list. */
export interface MigratedPart {
  readonly kind: 'set' | 'append';
  /** `['hooks', 'path']`, `['hooks', 'mappings']`, `['agents', 'list']` */
  readonly path: readonly [section: string, key: string];
  readonly value: unknown;
}

/** What is taken over, and what is left to a person. */
export interface Migration {
  readonly parts: readonly MigratedPart[];
  /** Values of variables that the parts refer to and that are not set here, from the other gateway. */
  readonly variables: Readonly<Record<string, string>>;
  readonly notes: readonly MigrationNote[];
}

/** Keys that are the same here. */
const SAME = [
  'enabled',
  'path',
  'defaultSessionKey',
  'allowRequestSessionKey',
  'allowedSessionKeyPrefixes',
  'allowedAgentIds',
  'maxBodyBytes',
  'transformsDir',
];
const KNOWN = new Set([
  ...SAME,
  'token',
  'presets',
  'mappings',
  'gmail',
  'internal',
  'sessionRetention',
]);
const AGENT_ID = /^[a-z0-9_-]{1,64}$/;

/** Translates the `hooks` section of the other gateway, part by part. */
export function migrateHooks(config: OpenClawConfig, present: Present): Migration {
  return new HooksMigration(config, present).run();
}

/** Goes through the section once, key by key. */
class HooksMigration {
  readonly #parts: MigratedPart[] = [];
  readonly #notes: MigrationNote[] = [];
  readonly #hooks: Sections;
  readonly #here: Sections;

  constructor(
    private readonly config: OpenClawConfig,
    private readonly present: Present,
  ) {
    const hooks = migrateTexts(config.hooks);
    this.#hooks = isRecord(hooks) ? hooks : {};
    const here = present.sections?.['hooks'];
    this.#here = isRecord(here) ? here : {};
  }

  run(): Migration {
    this.#token();
    for (const key of SAME) this.#set(key, this.#same(key));
    this.#presets();
    this.#mappings();
    this.#mail();
    this.#agents();
    this.#leftOut();
    return { parts: this.#parts, variables: this.#variables(), notes: this.#notes };
  }

  #note(key: string, reason: string, todo?: string): void {
    this.#notes.push({ key, reason, ...(todo !== undefined && { todo }) });
  }

  #set(key: string, value: unknown): void {
    if (value !== undefined) this.#parts.push({ kind: 'set', path: ['hooks', key], value });
  }

  #append(key: string, value: unknown): void {
    const isHere = toList(this.#here[key]).some((item) => isDeepStrictEqual(item, value));
    if (!isHere) this.#parts.push({ kind: 'append', path: ['hooks', key], value });
  }

  /** A token that is written out stays one; it is escaped, since `${name}` is a variable here. */
  #token(): void {
    const { token } = this.config.hooks;
    if (isRecord(token)) {
      const name = token['source'] === 'env' ? trimmedText(token['id']) : undefined;
      if (name !== undefined) return this.#set('token', `\${${name}}`);
      const todo = 'put it into .env as HOOK_TOKEN';
      return this.#note('hooks.token', 'comes from a secret store', todo);
    }
    const text = trimmedText(token);
    if (text === undefined) return;
    const isReference = referencedNames(migrateTexts(text)).length > 0;
    this.#set('token', isReference ? text : literal(text.replaceAll('$${', '${')));
  }

  #same(key: string): unknown {
    const value = this.#hooks[key];
    if (Array.isArray(value)) {
      const texts = value.filter((item): item is string => trimmedText(item) !== undefined);
      const isNone = texts.length === 0 && key === 'allowedSessionKeyPrefixes';
      return isNone ? undefined : texts;
    }
    const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
    return isPlain ? value : undefined;
  }

  #presets(): void {
    for (const name of toList(this.#hooks['presets'])) {
      if (name === 'gmail') {
        this.#append('presets', 'mail');
        this.#note(
          'hooks.presets',
          'gmail is called mail here and takes POST /mail',
          'let whatever posts to /gmail post to /mail',
        );
      } else this.#note('hooks.presets', `${String(name)} is no preset there, and is left out`);
    }
  }

  #mappings(): void {
    const hasMail = toList(this.#hooks['presets']).includes('gmail');
    const channels = this.present.sections?.['channels'];
    for (const [index, given] of toList(this.#hooks['mappings']).entries()) {
      const key = `hooks.mappings[${index}]`;
      if (!isRecord(given)) this.#note(key, 'is no object');
      else {
        const { mapping, notes } = migrateMapping(given, { key, channels, hasMail });
        this.#notes.push(...notes);
        this.#addMapping(key, mapping);
      }
    }
    if (hasMail) this.#mailSession();
  }

  /** Prefixes that were made for their session keys would refuse those of our preset: theirs are kept then. */
  #mailSession(): void {
    const prefixes = toList(this.#hooks['allowedSessionKeyPrefixes']).flatMap(
      (prefix) => trimmedText(prefix) ?? [],
    );
    const isOverridden = this.#parts.some(
      ({ path, value }) => path[1] === 'mappings' && isRecord(value) && value['id'] === 'mail',
    );
    const fits = (start: string): boolean => prefixes.some((prefix) => start.startsWith(prefix));
    if (isOverridden || prefixes.length === 0 || fits('hook:mail:') || !fits('hook:gmail:')) return;
    const mapping = { id: 'mail', sessionKey: 'hook:gmail:{{ item.id }}' };
    this.#addMapping('hooks.allowedSessionKeyPrefixes', mapping);
  }

  #addMapping(key: string, mapping: Record<string, unknown>): void {
    const { id } = mapping;
    const same = toList(this.#here['mappings']).find(
      (other) => id !== undefined && getField(other, 'id') === id,
    );
    if (same === undefined || isDeepStrictEqual(same, mapping)) this.#append('mappings', mapping);
    else {
      this.#note(
        key,
        `gateway.json5 has a mapping ${JSON.stringify(id)} already, which is left as it is`,
        'compare the two by hand',
      );
    }
  }

  /** The mailbox of the other gateway, unless one is set up here. */
  #mail(): void {
    const { gmail } = this.#hooks;
    if (!isRecord(gmail)) return;
    if (this.#here['mail'] !== undefined) {
      const reason = 'hooks.mail is set up here already, and is left as it is';
      return this.#note('hooks.gmail', reason);
    }
    const { mail, notes } = migrateMail(gmail, (this.present.env[MAIL_PASSWORD] ?? '') !== '');
    this.#notes.push(...notes);
    if (mail === undefined) return;
    this.#set('mail', mail);
    if (!toList(this.#hooks['presets']).includes('gmail')) this.#append('presets', 'mail');
  }

  /**
   * The agents that the hooks name, as entries of our `agents.list`, where they are missing. The default agent comes
   * first, since the first of a list is the default one.
   */
  #agents(): void {
    const named = [
      ...toList(this.#hooks['allowedAgentIds']),
      ...toList(this.#hooks['mappings']).map((mapping) => getField(mapping, 'agentId')),
    ].flatMap((id) => trimmedText(id) ?? []);
    const here = agentsIn(this.present.sections?.['agents']).map(({ id }) => id);
    const wanted = [...new Set(named.map(foldId).filter((id) => AGENT_ID.test(id)))];
    const missing = wanted.filter((id) => !here.includes(id) && id !== 'main');
    if (missing.length === 0) return;
    const theirs = agentsIn(this.config.agents);
    const theirDefault = (theirs.find(({ isDefault }) => isDefault) ?? theirs[0])?.id;
    const first = this.present.sections === undefined ? (theirDefault ?? 'main') : 'main';
    const ids = here.length > 0 ? missing : [...new Set([first, ...missing])];
    for (const id of ids) {
      this.#parts.push({ kind: 'append', path: ['agents', 'list'], value: { id } });
    }
    this.#note(
      'agents',
      `only the ids are carried over (${ids.join(', ')})`,
      'give them models, workspaces and tools by hand (docs/agents.md)',
    );
  }

  /** Everything that has no counterpart here is named. */
  #leftOut(): void {
    if (this.#hooks['internal'] !== undefined) {
      const reason = 'these are events inside that gateway, not webhooks';
      this.#note('hooks.internal', reason, 'keep them there');
    }
    if (this.#hooks['sessionRetention'] !== undefined) {
      const todo = 'set store.eventDays (docs/configuration.md)';
      this.#note('hooks.sessionRetention', 'sessions are kept by days here', todo);
    }
    for (const key of Object.keys(this.#hooks).filter((key) => !KNOWN.has(key))) {
      this.#note(`hooks.${key}`, 'is not known here');
    }
  }

  /** Values of the other gateway for variables that are not set here. */
  #variables(): Record<string, string> {
    const names = new Set(referencedNames(this.#parts.map(({ value }) => value)));
    return Object.fromEntries(
      [...names].flatMap((name) => {
        const isSetHere = (this.present.env[name] ?? '') !== '';
        const value = this.config.variables[name] ?? '';
        return isSetHere || value === '' ? [] : [[name, value] as const];
      }),
    );
  }
}

/** The other gateway has `agents.list` and, in newer versions, `agents.entries` by id; ours has the list. */
function agentsIn(agents: unknown): { id: string; isDefault: boolean }[] {
  if (!isRecord(agents)) return [];
  const { list, entries } = agents;
  const byId = isRecord(entries) ? Object.entries(entries) : [];
  return [
    ...toList(list)
      .filter(isRecord)
      .map((entry) => [trimmedText(entry['id']) ?? '', entry] as const),
    ...byId,
  ]
    .filter(([id]) => id !== '')
    .map(([id, entry]) => ({
      id: foldId(id),
      isDefault: isRecord(entry) && entry['default'] === true,
    }));
}

function foldId(id: string): string {
  return id.trim().toLowerCase();
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
