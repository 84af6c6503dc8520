import { isDeepStrictEqual } from 'node:util';
import type { ConfigurationWish } from '../../standalone/editing/configuration-change.ts';
import type { Edit } from '../../standalone/editing/json5-edit.ts';
import type { Json } from '../../standalone/editing/json5-style.ts';
import { isSections } from '../../standalone/json5-document.ts';
import type { Sections } from '../../standalone/json5-document.ts';
import type { Environment } from '../../standalone/variables.ts';
import { freeName } from '../free-name.ts';
import type { Note } from './note.ts';
import { carriedAgents } from './reference-agents.ts';
import { MAIL_PASSWORD, carriedMail } from './reference-mail.ts';
import { carriedMapping } from './reference-mapping.ts';
import { textOf } from './reference-match.ts';
import { carriedTexts, referencedNames } from './reference-texts.ts';

/** The reference's configuration, read. */
export interface Reference {
  readonly hooks: Sections;
  readonly agents: unknown;
  /** What its own `.env` and its `env` section set. */
  readonly variables: Environment;
}

/** What is here already. */
export interface Present {
  /** The sections of gateway.json5 as written; undefined where there is none. */
  readonly sections: Sections | undefined;
  /** The environment, `.env` included. */
  readonly env: Environment;
}

/** What the import would change, and what it leaves to a person. */
export interface Translation extends ConfigurationWish {
  readonly notes: readonly Note[];
}

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
const TOKEN = 'HOOK_TOKEN';

/** Translates the reference's `hooks` section into changes of gateway.json5 and `.env`. */
export function translate(reference: Reference, present: Present): Translation {
  return new Translator(reference, present).translation();
}

class Translator {
  readonly #edits: Edit[] = [];
  readonly #notes: Note[] = [];
  readonly #variables: Record<string, string> = {};
  readonly #hooks: Sections;
  readonly #here: Sections;

  constructor(
    private readonly reference: Reference,
    private readonly present: Present,
  ) {
    const carried = carriedTexts(reference.hooks);
    this.#hooks = isSections(carried) ? carried : {};
    const hooks = present.sections?.['hooks'];
    this.#here = isSections(hooks) ? hooks : {};
  }

  translation(): Translation {
    this.#token();
    for (const key of SAME) this.#set(key, this.#same(key));
    this.#presets();
    this.#mappings();
    this.#mail();
    this.#agents();
    this.#leftOut();
    this.#values();
    return { edits: this.#edits, variables: this.#variables, notes: this.#notes };
  }

  #note(key: string, reason: string, todo?: string): void {
    this.#notes.push({ key, reason, ...(todo !== undefined && { todo }) });
  }

  #set(key: string, value: Json | undefined): void {
    if (value !== undefined) this.#edits.push({ kind: 'set', path: ['hooks', key], value });
  }

  #append(key: string, value: Json): void {
    const list: unknown = this.#here[key];
    const isThere = Array.isArray(list) && list.some((item) => isDeepStrictEqual(item, value));
    if (!isThere) this.#edits.push({ kind: 'append', path: ['hooks', key], value });
  }

  /** A secret never stands in gateway.json5: what is written out there goes to `.env`. */
  #token(): void {
    const { token } = this.reference.hooks;
    if (isSections(token)) {
      const name = token['source'] === 'env' ? textOf(token['id']) : undefined;
      if (name !== undefined) return this.#set('token', `\${${name}}`);
      return this.#note('hooks.token', 'comes from a secret store', `put it into .env as ${TOKEN}`);
    }
    const text = textOf(token);
    if (text === undefined) return;
    if (referencedNames(carriedTexts(text)).length > 0) return this.#set('token', text);
    const secret = text.replaceAll('$${', '${');
    const name = freeName(TOKEN, secret, this.present.env);
    this.#variables[name] = secret;
    this.#set('token', `\${${name}}`);
  }

  #same(key: string): Json | undefined {
    const value = this.#hooks[key];
    if (Array.isArray(value)) {
      const texts = value.filter((item): item is string => textOf(item) !== undefined);
      const isNone = texts.length === 0 && key === 'allowedSessionKeyPrefixes';
      return isNone ? undefined : texts;
    }
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? value
      : undefined;
  }

  #presets(): void {
    for (const name of listOf(this.#hooks['presets'])) {
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
    const hasMail = listOf(this.#hooks['presets']).includes('gmail');
    const channels = this.present.sections?.['channels'];
    for (const [index, mapping] of listOf(this.#hooks['mappings']).entries()) {
      const key = `hooks.mappings[${index}]`;
      if (!isSections(mapping)) this.#note(key, 'is no object');
      else {
        const carried = carriedMapping(mapping, { key, channels, hasMail });
        this.#notes.push(...carried.notes);
        this.#addMapping(key, carried.mapping);
      }
    }
    if (hasMail) this.#mailSession();
  }

  /** Prefixes that were made for their session keys would refuse those of our preset: theirs are kept then. */
  #mailSession(): void {
    const prefixes = listOf(this.#hooks['allowedSessionKeyPrefixes']).flatMap(
      (p) => textOf(p) ?? [],
    );
    const isOverridden = this.#edits.some(
      ({ path, value }) => path[1] === 'mappings' && isSections(value) && value['id'] === 'mail',
    );
    const fits = (start: string): boolean => prefixes.some((prefix) => start.startsWith(prefix));
    if (isOverridden || prefixes.length === 0 || fits('hook:mail:') || !fits('hook:gmail:')) return;
    const mapping = { id: 'mail', sessionKey: 'hook:gmail:{{ item.id }}' };
    this.#addMapping('hooks.allowedSessionKeyPrefixes', mapping);
  }

  #addMapping(key: string, mapping: Record<string, Json>): void {
    const { id } = mapping;
    const same = listOf(this.#here['mappings']).find(
      (other) => isSections(other) && id !== undefined && other['id'] === id,
    );
    if (same === undefined || isDeepStrictEqual(same, mapping)) this.#append('mappings', mapping);
    else
      this.#note(
        key,
        `gateway.json5 has a mapping ${JSON.stringify(id)} already, which is left as it is`,
        'compare the two by hand',
      );
  }

  #mail(): void {
    const { gmail } = this.#hooks;
    if (!isSections(gmail)) return;
    const { mail, notes } = carriedMail(gmail, (this.present.env[MAIL_PASSWORD] ?? '') !== '');
    this.#notes.push(...notes);
    if (mail === undefined) return;
    if (this.#here['mail'] !== undefined) {
      return this.#note(
        'hooks.gmail',
        'gateway.json5 has hooks.mail already, which is left as it is',
      );
    }
    this.#set('mail', mail);
    if (!listOf(this.#hooks['presets']).includes('gmail')) this.#append('presets', 'mail');
  }

  #agents(): void {
    const named = [
      ...listOf(this.#hooks['allowedAgentIds']),
      ...listOf(this.#hooks['mappings']).map(
        (mapping) => isSections(mapping) && mapping['agentId'],
      ),
    ].flatMap((id) => textOf(id) ?? []);
    const { edits, notes } = carriedAgents(this.reference.agents, named, this.present.sections);
    this.#edits.push(...edits);
    this.#notes.push(...notes);
  }

  #leftOut(): void {
    if (this.#hooks['internal'] !== undefined) {
      this.#note(
        'hooks.internal',
        'are events inside that gateway, no webhooks',
        'keep them there',
      );
    }
    if (this.#hooks['sessionRetention'] !== undefined) {
      this.#note(
        'hooks.sessionRetention',
        'sessions are kept by days here',
        'set store.eventDays (docs/configuration.md)',
      );
    }
    for (const key of Object.keys(this.#hooks).filter((key) => !KNOWN.has(key))) {
      this.#note(`hooks.${key}`, 'is not known here');
    }
  }

  /** Variables that are referred to and not set here are taken from the reference's own environment. */
  #values(): void {
    for (const name of new Set(referencedNames(this.#edits.map(({ value }) => value)))) {
      const isSet = (this.#variables[name] ?? this.present.env[name] ?? '') !== '';
      const value = this.reference.variables[name] ?? '';
      if (!isSet && value !== '') this.#variables[name] = value;
    }
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
