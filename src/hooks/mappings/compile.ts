import type { Redaction } from '../../platform/credentials.ts';
import { bareName } from '../actions/hook-request.ts';
import { SOLE_AGENT_ID, inMappings } from '../options/index.ts';
import type { MappingOptions, Problem, ResolvedHooksOptions } from '../options/index.ts';
import { THINKING_LEVELS } from '../ports/index.ts';
import { findSessionKeyProblems, lintMappings } from './lint.ts';
import { TEMPLATED } from './mapping.ts';
import type { CompiledMapping, MappingEntry, TemplatedField } from './mapping.ts';
import { presets } from './presets/index.ts';
import type { Preset } from './presets/preset.ts';
import { isStatic, parsePath, parsePayloadPath, parseTemplate } from './template.ts';
import type { Template, ValuePath } from './template.ts';

/** The mappings of one configuration in the order they are tried, and what is wrong with it. */
export interface CompiledMappings {
  /** Without those that have a problem. */
  readonly mappings: readonly CompiledMapping[];
  /** Each of them refuses the configuration. */
  readonly problems: readonly Problem[];
  /** What works but cannot be meant. */
  readonly warnings: readonly Problem[];
}

/** Fields that only one kind of action reads. */
const FIELDS_OF_KIND: Readonly<Record<'wake' | 'agent', readonly (keyof MappingOptions)[]>> = {
  wake: ['textTemplate'],
  agent: [
    'name',
    'sessionKey',
    'sessionMode',
    'messageTemplate',
    'task',
    'instructions',
    'deliver',
    'channel',
    'to',
    'model',
    'thinking',
    'timeoutSeconds',
  ],
};

const NOT_IN_A_PATH = /[\s?#]/u;

/**
 * Configured mappings first, then the enabled presets; a mapping with a preset's id merges over it.
 * @param agentIds every agent, the default one first; absent: those of the `agents` section
 */
export function compileMappings(
  settings: ResolvedHooksOptions,
  agentIds: readonly string[] = listConfiguredIds(settings),
): CompiledMappings {
  const { hooks } = settings;
  const entries = listEntries(hooks);
  const problems = [...findUnknownPresets(hooks.presets), ...findDuplicateIds(entries)];
  const compiler = new MappingCompiler(problems, hooks.allowedSessionKeyPrefixes ?? []);
  const placed = entries.flatMap((entry) => {
    const compiled = compiler.compile(entry);
    return compiled === null ? [] : [{ entry, compiled }];
  });
  const found = lintMappings(placed, settings, agentIds);
  return {
    mappings: placed.map(({ compiled }) => compiled),
    problems: inMappings([...problems, ...found.problems], hooks.mappings).map(withAdvice),
    warnings: found.warnings,
  };
}

/** As they are tried: what the operator wrote, then the presets that nothing was written about. */
export function listEntries({
  mappings,
  presets: names,
}: ResolvedHooksOptions['hooks']): MappingEntry[] {
  const enabled = [...new Set(names)].flatMap((name) => presets.get(name) ?? []);
  const written = mappings.map((mapping, index) => ({
    key: `hooks.mappings[${index}]`,
    written: mapping,
    mapping: mergeOver(
      enabled.find(({ id }) => id === mapping.id),
      mapping,
    ),
  }));
  const builtIn = enabled
    .filter(({ id }) => !mappings.some((mapping) => mapping.id === id))
    .map((preset) => ({ key: `preset ${preset.id}`, written: preset, mapping: preset }));
  return [...written, ...builtIn];
}

/** Field by field; a preset that is made a wake keeps its words, but not its patience: nothing else tells of a wake. */
function mergeOver(preset: Preset | undefined, mapping: MappingOptions): MappingOptions {
  const given = Object.entries(mapping).filter(([, value]) => value !== undefined);
  const words =
    mapping.action === 'wake' ? { textTemplate: preset?.messageTemplate, wakeMode: undefined } : {};
  const merged = Object.assign({}, preset, words, Object.fromEntries(given));
  // The operator gives the secrets, the preset knows the scheme.
  if (mapping.verify === undefined) return merged;
  return Object.assign(merged, { verify: Object.assign({}, preset?.verify, mapping.verify) });
}

function findUnknownPresets(names: readonly string[]): Problem[] {
  const known = [...presets.keys()].join(', ');
  return names
    .filter((name) => !presets.has(name))
    .map((name) => ({
      key: 'hooks.presets',
      message: `names an unknown preset "${name}"; known are ${known}`,
    }));
}

function findDuplicateIds(entries: readonly MappingEntry[]): Problem[] {
  const seen = new Set<string>();
  return entries.flatMap(({ key, mapping: { id } }) => {
    if (id === undefined || !seen.has(id)) {
      if (id !== undefined) seen.add(id);
      return [];
    }
    return [{ key: `${key}.id`, message: `"${id}" is used twice; give each mapping its own id` }];
  });
}

/** A preset cannot be edited; a mapping of its id can merge over it. */
function withAdvice({ key, message }: Problem): Problem {
  const [, id] = /^preset ([^.]+)\./u.exec(key) ?? [];
  return id === undefined
    ? { key, message }
    : { key, message: `${message}; set it in a mapping with the id ${id}` };
}

/** The default agent first. The `agents` section may be wrong itself: what is no agent there is left out here. */
function listConfiguredIds({ agents }: ResolvedHooksOptions): readonly string[] {
  const list: readonly unknown[] = Array.isArray(agents.list) ? agents.list : [];
  const agentsWithId = list.flatMap((entry) => {
    if (typeof entry !== 'object' || entry === null) return [];
    const id: unknown = Reflect.get(entry, 'id');
    const isDefault = Reflect.get(entry, 'default') === true;
    return typeof id === 'string' ? [{ id: id.trim().toLowerCase(), isDefault }] : [];
  });
  if (agentsWithId.length === 0) return [SOLE_AGENT_ID];
  const defaults = agentsWithId.filter(({ isDefault }) => isDefault);
  return [...defaults, ...agentsWithId].map(({ id }) => id);
}

/** Makes mappings ready to use, and adds everything that is wrong with them to the problems, under their key. */
class MappingCompiler {
  constructor(
    private readonly problems: Problem[],
    private readonly prefixes: readonly string[],
  ) {}

  /** Null when there was a problem. */
  compile({ key, mapping: options, written }: MappingEntry): CompiledMapping | null {
    const before = this.problems.length;
    const kind = options.action ?? 'agent';
    const path = this.#path(key, options);
    this.#checkMeaningless(key, written, kind);
    this.#checkAgent(key, options.agentId);
    const forEach = this.#forEach(key, options.forEach);
    const redaction = this.#redaction(key, options);
    const templates = this.#templates(key, options, kind);
    this.#checkText(`${key}.messageTemplate`, templates.messageTemplate);
    this.#checkText(`${key}.textTemplate`, templates.textTemplate);
    this.problems.push(
      ...findSessionKeyProblems(`${key}.sessionKey`, templates.sessionKey, this.prefixes),
    );
    this.#checkThinking(key, templates.thinking);
    if (this.problems.length > before) return null;
    return {
      id: options.id ?? path ?? options.match?.source ?? 'any',
      kind,
      templates,
      options,
      ...(path !== undefined && { path: bareName(path) }),
      ...(options.match?.source !== undefined && { source: options.match.source }),
      forEach,
      redaction,
    };
  }

  #report(key: string, message: string): void {
    this.problems.push({ key, message });
  }

  /** The path as it is written: `match.path`, or the id where there is no match. */
  #path(key: string, { id, match }: MappingOptions): string | undefined {
    const path = match === undefined ? id : match.path;
    const field = match === undefined ? 'id' : 'match.path';
    if (path === undefined) {
      if (match === undefined) {
        this.#report(key, 'needs an id or a match; without either no request can reach it');
      }
      return undefined;
    }
    if (bareName(path) === '') {
      const message = 'is no path below hooks.path; write for example builds or ci/builds';
      this.#report(`${key}.${field}`, message);
    } else if (NOT_IN_A_PATH.test(path)) {
      const message = `cannot be a path, because no URL has blanks, ? or # there; write it percent-encoded, as the sender sends it${match === undefined ? ', or add a match' : ''}`;
      this.#report(`${key}.${field}`, message);
    }
    return path;
  }

  /** Fields that nobody reads for this kind of action: silence about them would hide a mistake. */
  #checkMeaningless(key: string, written: MappingOptions, kind: 'wake' | 'agent'): void {
    for (const field of listUnread(kind)) {
      if (written[field] === undefined) continue;
      const article = kind === 'wake' ? 'a' : 'an';
      this.#report(`${key}.${field}`, `has no meaning for ${article} ${kind} action; remove it`);
    }
  }

  #forEach(key: string, source: string | undefined): ValuePath | undefined {
    if (source === undefined) return undefined;
    const path = parsePath(source);
    if (path !== null) return path;
    this.#report(`${key}.forEach`, 'is not a path; write for example messages or payload.items');
    return undefined;
  }

  #redaction(key: string, { redact = [], keep = [] }: MappingOptions): Redaction {
    const rulesOf = (field: 'redact' | 'keep', paths: readonly string[]) =>
      paths.flatMap((source, index) => {
        const path = parsePayloadPath(source);
        if (path !== null) return [{ path, keep: field === 'keep' }];
        const advice = 'write for example customer.email or items[].card';
        this.#report(`${key}.${field}[${index}]`, `is not a path into the payload; ${advice}`);
        return [];
      });
    return [...rulesOf('redact', redact), ...rulesOf('keep', keep)];
  }

  #templates(
    key: string,
    options: MappingOptions,
    kind: 'wake' | 'agent',
  ): Partial<Record<TemplatedField, Template>> {
    const templates: Partial<Record<TemplatedField, Template>> = {};
    for (const field of TEMPLATED) {
      const source = options[field];
      // What a preset brings for the other kind of action is not used.
      if (source === undefined || listUnread(kind).includes(field)) continue;
      const template = parseTemplate(source);
      if (typeof template === 'string') this.#report(`${key}.${field}`, template);
      else templates[field] = template;
    }
    return templates;
  }

  /** A text that is blank for every request is the operator's mistake and not a sender's. */
  #checkText(key: string, template: Template | undefined): void {
    if (template === undefined || !isStatic(template) || template.literalStart.trim() !== '') {
      return;
    }
    this.#report(key, 'must not be blank; write a text, or remove the key to show the payload');
  }

  /** Which agent runs is never for a payload to say. */
  #checkAgent(key: string, agentId: string | undefined): void {
    if (agentId?.includes('{{') !== true) return;
    this.#report(`${key}.agentId`, 'is no template; write the id of an agent');
  }

  #checkThinking(key: string, template: Template | undefined): void {
    if (template === undefined || !isStatic(template)) return;
    const text = template.literalStart.trim();
    if (text === '' || THINKING_LEVELS.some((level) => level === text)) return;
    this.#report(`${key}.thinking`, `must be one of ${THINKING_LEVELS.join(', ')}`);
  }
}

/** Fields that nobody reads for this kind of action. */
function listUnread(kind: 'wake' | 'agent'): readonly (keyof MappingOptions)[] {
  return kind === 'wake' ? FIELDS_OF_KIND.agent : FIELDS_OF_KIND.wake;
}
