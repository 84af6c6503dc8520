import type { MappingOptions, Problem } from '../../options/index.ts';
import { THINKING_LEVELS } from '../../ports/index.ts';
import { bareName } from '../hook-request.ts';
import { TEMPLATED } from './compiled-mapping.ts';
import type { CompiledMapping, TemplatedField } from './compiled-mapping.ts';
import type { MappingEntry } from './mapping-entry.ts';
import { sessionKeyProblems } from './session-key-problems.ts';
import { isStatic, parsePath, parseTemplate } from './template.ts';
import type { Template, ValuePath } from './template.ts';

const AGENT_ONLY = [
  'name',
  'sessionKey',
  'sessionMode',
  'messageTemplate',
  'instructions',
  'deliver',
  'channel',
  'to',
  'model',
  'thinking',
  'timeoutSeconds',
] as const;
const WAKE_ONLY = ['textTemplate'] as const;

const NOT_IN_A_PATH = /[\s?#]/u;

/** Fields that nobody reads for this kind of action. */
function unread(kind: 'wake' | 'agent'): readonly (keyof MappingOptions)[] {
  return kind === 'wake' ? AGENT_ONLY : WAKE_ONLY;
}

/** Silence about those would hide a mistake. */
function meaningless(kind: 'wake' | 'agent', written: MappingOptions): string[] {
  return unread(kind).filter((field) => written[field] !== undefined);
}

/** Makes mappings ready to use and reports, under their key, everything that is wrong with them. */
export class MappingCompiler {
  constructor(
    private readonly problems: Problem[],
    private readonly prefixes: readonly string[],
  ) {}

  compile({ key, mapping: options, written }: MappingEntry): CompiledMapping | null {
    const before = this.problems.length;
    const kind = options.action ?? 'agent';
    const path = this.#path(key, options);
    for (const field of meaningless(kind, written)) {
      this.#report(
        `${key}.${field}`,
        `has no meaning for ${kind === 'wake' ? 'a' : 'an'} ${kind} action; remove it`,
      );
    }
    this.#checkAgent(key, options.agentId);
    const forEach = this.#forEach(key, options.forEach);
    const templates = this.#templates(key, options, kind);
    this.#checkText(`${key}.messageTemplate`, templates.messageTemplate);
    this.#checkText(`${key}.textTemplate`, templates.textTemplate);
    this.problems.push(
      ...sessionKeyProblems(`${key}.sessionKey`, templates.sessionKey, this.prefixes),
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
    };
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

  #report(key: string, message: string): void {
    this.problems.push({ key, message });
  }

  #forEach(key: string, source: string | undefined): ValuePath | undefined {
    if (source === undefined) return undefined;
    const path = parsePath(source);
    if (path !== null) return path;
    this.#report(`${key}.forEach`, 'is not a path; write for example messages or payload.items');
    return undefined;
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
      if (source === undefined || unread(kind).includes(field)) continue;
      const template = parseTemplate(source);
      if (typeof template === 'string') this.#report(`${key}.${field}`, template);
      else templates[field] = template;
    }
    return templates;
  }

  /** An action without words is refused; what is wrong for every request is the operator's mistake and not a sender's. */
  #checkText(key: string, template: Template | undefined): void {
    if (template === undefined || !isStatic(template) || template.literalStart.trim() !== '')
      return;
    this.#report(key, 'must not be blank; write a text, or remove the key to show the payload');
  }

  /** Who runs is never a payload's to say. */
  #checkAgent(key: string, agentId: string | undefined): void {
    if (agentId?.includes('{{') !== true) return;
    this.#report(`${key}.agentId`, 'is no template; write the id of an agent');
  }

  #checkThinking(key: string, template: Template | undefined): void {
    if (template === undefined || !isStatic(template)) return;
    if (isLevel(template.literalStart.trim())) return;
    this.#report(`${key}.thinking`, `must be one of ${THINKING_LEVELS.join(', ')}`);
  }
}

function isLevel(text: string): boolean {
  return text === '' || THINKING_LEVELS.some((level) => level === text);
}
