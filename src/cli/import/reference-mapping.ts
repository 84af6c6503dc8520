import { THINKING_LEVELS } from '../../hooks/index.ts';
import type { Json } from '../../standalone/editing/json5-style.ts';
import { isSections } from '../../standalone/json5-document.ts';
import type { Sections } from '../../standalone/json5-document.ts';
import type { Note } from './note.ts';
import { carriedChannel, carriedRecipient } from './reference-channels.ts';
import { matchOf, textOf } from './reference-match.ts';
import { carriedTemplate } from './reference-texts.ts';

/** What a mapping is carried over into. */
export interface MappingPlace {
  /** Key of the mapping there, for notes. */
  readonly key: string;
  /** The `channels` section here. */
  readonly channels: unknown;
  /** Whether the reference's preset `gmail` is on, which becomes our preset `mail`. */
  readonly hasMail: boolean;
}

const TEMPLATES = [
  'name',
  'sessionKey',
  'messageTemplate',
  'textTemplate',
  'to',
  'model',
  'thinking',
];
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
const LONGEST_SECONDS = 86_400;

/** One entry of the reference's `hooks.mappings` as one of ours, and what could not be carried over. */
export function carriedMapping(
  mapping: Sections,
  place: MappingPlace,
): { mapping: Record<string, Json>; notes: Note[] } {
  const carrying = new Carrying(mapping, place);
  return { mapping: carrying.mapping(), notes: carrying.notes };
}

class Carrying {
  readonly notes: Note[] = [];
  readonly #isWake: boolean;
  /** Whether it takes the place of the preset for Gmail, which is called mail here and comes item by item. */
  readonly #isMail: boolean;

  constructor(
    private readonly from: Sections,
    private readonly place: MappingPlace,
  ) {
    this.#isWake = from['action'] === 'wake';
    const { path, source } = matchOf(from);
    this.#isMail =
      place.hasMail &&
      !this.#isWake &&
      (path === 'gmail' || (path === undefined && source === 'gmail'));
  }

  mapping(): Record<string, Json> {
    const carried: Record<string, Json> = { ...this.#identity() };
    for (const key of PLAIN.slice(1)) this.#put(carried, key, this.from[key]);
    for (const key of TEMPLATES) this.#put(carried, key, this.#template(key));
    this.#channel(carried);
    this.#thinking(carried);
    this.#timeout(carried);
    this.#unsafe(carried);
    this.#transform(carried);
    this.#unknown();
    return carried;
  }

  #note(key: string, reason: string, todo?: string): void {
    this.notes.push({
      key: key === '' ? this.place.key : `${this.place.key}.${key}`,
      reason,
      ...(todo !== undefined && { todo }),
    });
  }

  /** Which requests it takes. Without a match it takes every name there; here its id would be its path. */
  #identity(): Record<string, Json> {
    const id = textOf(this.from['id']);
    if (this.#isMail) {
      this.#note(
        '',
        'became a mapping of preset mail: our watcher posts to /mail, one action per message',
        'if something else posts to /gmail, let it post to /mail',
      );
      return { id: 'mail' };
    }
    const { path, source } = matchOf(this.from);
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

  #put(carried: Record<string, Json>, key: string, value: unknown): void {
    if (value === undefined || value === null || value === '') return;
    if (this.#isWake && NOT_OF_WAKES.has(key)) return this.#note(key, 'has no meaning for a wake');
    if (!this.#isWake && key === 'textTemplate')
      return this.#note(key, 'has no meaning for an agent action');
    if (typeof value === 'string' || typeof value === 'boolean') carried[key] = value;
    else this.#note(key, 'is neither a text nor true or false');
  }

  #template(key: string): unknown {
    const value = this.from[key];
    const fanOut = this.#isMail ? 'messages' : textOf(this.from['forEach']);
    return typeof value === 'string' ? carriedTemplate(value, fanOut) : value;
  }

  #channel(carried: Record<string, Json>): void {
    const name = textOf(this.from['channel']);
    if (name === undefined || this.#isWake) return;
    const channel = carriedChannel(name, this.place.channels);
    if (channel === undefined) {
      // Without a channel the reply would go to the last one: to somebody who was not meant.
      delete carried['to'];
      carried['deliver'] = false;
      return this.#note(
        'channel',
        `no channel of ours serves ${name}; the reply is not delivered`,
        'set channel, to and deliver: true by hand (docs/channels.md)',
      );
    }
    carried['channel'] = channel;
    const { to } = carried;
    if (typeof to === 'string') carried['to'] = carriedRecipient(to, name);
    const isBound = isSections(this.place.channels) && isSections(this.place.channels[channel]);
    if (channel !== 'last' && !isBound && carried['deliver'] !== false) {
      this.#note(
        'channel',
        `${name} is ${channel} here, and has no credentials yet`,
        `set channels.${channel} (docs/channels.md, "${name}")`,
      );
    }
  }

  #thinking(carried: Record<string, Json>): void {
    const { thinking } = carried;
    if (typeof thinking !== 'string' || thinking.includes('{{')) return;
    if (THINKING_LEVELS.some((level) => level === thinking.trim())) return;
    delete carried['thinking'];
    this.#note(
      'thinking',
      'is a level that is not known here',
      `choose one of ${THINKING_LEVELS.join(', ')}`,
    );
  }

  #timeout(carried: Record<string, Json>): void {
    const seconds = this.from['timeoutSeconds'];
    if (seconds === undefined) return;
    if (this.#isWake) return this.#note('timeoutSeconds', 'has no meaning for a wake');
    if (typeof seconds !== 'number' || !(seconds > 0))
      return this.#note('timeoutSeconds', 'is no number over 0');
    carried['timeoutSeconds'] = Math.min(seconds, LONGEST_SECONDS);
    if (seconds > LONGEST_SECONDS) this.#note('timeoutSeconds', 'is more than a day; a day is set');
  }

  #unsafe(carried: Record<string, Json>): void {
    if (this.from['allowUnsafeExternalContent'] !== true) return;
    carried['allowUnsafeExternalContent'] = true;
    this.#note(
      'allowUnsafeExternalContent',
      'is carried over: what this hook is sent reaches the agent without the safety boundary',
      'remove it unless only your own systems can send to this hook',
    );
  }

  #transform(carried: Record<string, Json>): void {
    const transform = this.from['transform'];
    if (!isSections(transform)) return;
    const module = textOf(transform['module']);
    const name = textOf(transform['export']);
    if (module === undefined) return this.#note('transform', 'names no module');
    carried['transform'] = { module, ...(name !== undefined && { export: name }) };
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
