import { fitsPrefix } from '../../options/index.ts';
import type { MappingOptions, Problem } from '../../options/index.ts';
import { THINKING_LEVELS } from '../../ports/index.ts';
import { bareName } from '../hook-request.ts';
import { TEMPLATED } from './compiled-mapping.ts';
import type { CompiledMapping, TemplatedField } from './compiled-mapping.ts';
import { parsePath, parseTemplate } from './template.ts';
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

/** Fields that were written but that nobody reads for this kind of action: silence would hide a mistake. */
function meaningless(kind: 'wake' | 'agent', written: MappingOptions): string[] {
  const others = kind === 'wake' ? AGENT_ONLY : WAKE_ONLY;
  return others.filter((field) => written[field] !== undefined);
}

/** Makes mappings ready to use and reports, under their key, everything that is wrong with them. */
export class MappingCompiler {
  constructor(
    private readonly problems: Problem[],
    private readonly prefixes: readonly string[],
  ) {}

  compile(key: string, options: MappingOptions, written: MappingOptions): CompiledMapping | null {
    const before = this.problems.length;
    const path = options.match === undefined ? options.id : options.match.path;
    if (options.match === undefined && options.id === undefined) {
      this.#report(key, 'needs an id or a match; without either no request can reach it');
    }
    const kind = options.action ?? 'agent';
    for (const field of meaningless(kind, written)) {
      this.#report(`${key}.${field}`, `has no meaning for a ${kind} action; remove it`);
    }
    const forEach = this.#forEach(key, options.forEach);
    const templates = this.#templates(key, options);
    this.#checkSessionKey(key, templates.sessionKey);
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

  #templates(key: string, options: MappingOptions): Partial<Record<TemplatedField, Template>> {
    const templates: Partial<Record<TemplatedField, Template>> = {};
    for (const field of TEMPLATED) {
      const source = options[field];
      if (source === undefined) continue;
      const template = parseTemplate(source);
      if (typeof template === 'string') this.#report(`${key}.${field}`, template);
      else templates[field] = template;
    }
    return templates;
  }

  /** What is wrong for every request is the operator's mistake and not a sender's. */
  #checkThinking(key: string, template: Template | undefined): void {
    if (template === undefined || template.parts.some((part) => typeof part !== 'string')) return;
    if (isLevel(template.literalStart.trim())) return;
    this.#report(`${key}.thinking`, `must be one of ${THINKING_LEVELS.join(', ')}`);
  }

  #checkSessionKey(key: string, template: Template | undefined): void {
    if (template === undefined) return;
    const isStatic = template.parts.every((part) => typeof part === 'string');
    const start = template.literalStart;
    if (!isStatic && start.trim() === '') {
      this.#report(
        `${key}.sessionKey`,
        'must begin with literal text, so that a payload cannot choose the session; write for example hook:name:{{ id }}',
      );
    }
    if (!isStatic && /^agent:/iu.test(start.trim())) {
      this.#report(
        `${key}.sessionKey`,
        'must not begin with agent: when a payload fills it in; write for example hook:name:{{ id }}',
      );
    }
    const fits = (prefix: string): boolean =>
      isStatic ? fitsPrefix(start, [prefix]) : overlaps(start, prefix);
    if (this.prefixes.length > 0 && !this.prefixes.some(fits)) {
      this.#report(
        `${key}.sessionKey`,
        `can never begin with one of hooks.allowedSessionKeyPrefixes (${this.prefixes.join(', ')})`,
      );
    }
  }
}

function isLevel(text: string): boolean {
  return text === '' || THINKING_LEVELS.some((level) => level === text);
}

function overlaps(start: string, prefix: string): boolean {
  return fitsPrefix(start, [prefix]) || fitsPrefix(prefix, [start]);
}
