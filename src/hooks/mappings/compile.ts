// Compiled once for each configuration, at start or reload. Problems are collected, so that all are told at once.
import type { Redaction } from '../../platform/credentials.ts';
import { getField } from '../../platform/objects.ts';
import { bareName } from '../actions/hook-request.ts';
import type { DedupeRule } from '../actions/idempotency.ts';
import { RunnerOptions, SOLE_AGENT_ID, inMappings } from '../options/index.ts';
import type {
  Conditions,
  HandledHooks,
  MappingAction,
  MappingOptions,
  Problem,
  ReplyToOptions,
  ResolvedHooksOptions,
} from '../options/index.ts';
import { senderProblems, sendersOf } from '../senders/index.ts';
import type { Preset } from '../senders/index.ts';
import {
  findDuplicateIds,
  findHandlerProblems,
  findUnknownPresets,
  listEntries,
} from './entries.ts';
import {
  UNREAD,
  findHiddenReply,
  findMeaningless,
  findStaticMistakes,
  findTemplatedAgent,
  findTwoRecipients,
} from './entry-problems.ts';
import type { ListedAgent } from './lint-agents.ts';
import { lintMappings } from './lint.ts';
import {
  collectOf,
  contradictionOf,
  findDisagreeing,
  rulesById,
  ruleScope,
  withRules,
} from './mapping-rules.ts';
import type { RulesById } from './mapping-rules.ts';
import { TEMPLATED, keyOf } from './mapping.ts';
import type {
  CompiledCollect,
  CompiledMapping,
  CompiledReplyTo,
  MappingEntry,
  TemplatedField,
} from './mapping.ts';
import { parseConditions } from './parse-when.ts';
import { parseTemplate } from './template.ts';
import type { Template } from './template.ts';
import { parsePath, parsePayloadPath } from './value-path.ts';
import type { ValuePath } from './value-path.ts';
import type { ParsedConditions } from './when.ts';

export interface CompiledMappings {
  /** Without those that have a problem. */
  readonly mappings: readonly CompiledMapping[];
  readonly rules: RulesById;
  /** Each of them refuses the configuration. */
  readonly problems: readonly Problem[];
  /** What works but cannot be meant. */
  readonly warnings: readonly Problem[];
}

const NOT_IN_A_PATH = /[\s?#]/u;

/**
 * Configured mappings first, then presets. `agents`: the default one first; absent: those of the `agents` section.
 */
export function compileMappings(
  settings: ResolvedHooksOptions,
  agents: readonly ListedAgent[] = listConfigured(settings),
  known: ReadonlyMap<string, Preset> = sendersOf(settings).presets,
): CompiledMappings {
  const { hooks, handlers = new Map() } = settings;
  const entries = listEntries(settings, known);
  const problems = [
    ...senderProblems(settings),
    ...findUnknownPresets(hooks.presets, known),
    ...findDuplicateIds(hooks),
    ...findHandlerProblems(settings, entries),
  ];
  const compiler = new MappingCompiler(problems, hooks, handlers);
  const placed = entries.flatMap((entry) => {
    const compiled = compiler.compile(entry);
    return compiled === null ? [] : [{ entry, compiled }];
  });
  const found = lintMappings(placed, settings, agents);
  return {
    mappings: placed.map(({ compiled }) => compiled),
    rules: rulesById(
      placed.map(({ compiled }) => compiled),
      hooks.limit,
    ),
    problems: inMappings(
      eachOnce([...problems, ...found.problems, ...findDisagreeing(placed)]),
      hooks.mappings,
    ).map(withAdvice),
    warnings: found.warnings,
  };
}

/** A mapping that merges over several cases of a preset has the same mistake in each. */
function eachOnce(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((one) => [`${one.key} ${one.message}`, one] as const)).values()];
}

/** A preset cannot be edited; a mapping of its id can merge over it. */
function withAdvice(problem: Problem): Problem {
  const [, id] = /^preset ([^.]+)\./u.exec(problem.key) ?? [];
  if (id === undefined) return problem;
  return { ...problem, message: `${problem.message}; set it in a mapping with the id ${id}` };
}

/** The default agent first. The `agents` section may be wrong itself: what is no agent there is left out here. */
function listConfigured({ agents }: ResolvedHooksOptions): readonly ListedAgent[] {
  const entries: readonly unknown[] = Array.isArray(agents.list) ? agents.list : [];
  const named = entries.filter((entry) => typeof getField(entry, 'id') === 'string');
  const listed = (named.length > 0 ? named : [{ id: SOLE_AGENT_ID }]).map((entry) => {
    const runner = getField(entry, 'runner') ?? getField(agents, 'defaults', 'runner');
    return {
      id: String(getField(entry, 'id')).trim().toLowerCase(),
      isDefault: getField(entry, 'default') === true,
      ...(runner instanceof RunnerOptions && { runner }),
    };
  });
  return listed.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault));
}

/** An operator knows what his key names; that of a preset names an event only where the preset says so. */
function dedupeRule({ mapping, layers }: MappingEntry): DedupeRule {
  const { dedupeOn, dedupeScope: scope } = mapping;
  const isOperators = layers.some((layer) => layer.mapping.dedupeKey !== undefined);
  const on = dedupeOn ?? (isOperators ? 'key' : 'key-and-body');
  return { comparesBody: on === 'key-and-body', scope: ruleScope({ scope }) };
}

/** An answer at the source is another task than a report to the operator; what the operator wrote is both. */
function taskOf({ mapping, layers }: MappingEntry): string | undefined {
  const { reply, replyTo, task } = mapping;
  const isOperators = layers.some((layer) => layer.mapping.task !== undefined);
  return reply === 'source' && !isOperators ? (replyTo?.task ?? task) : task;
}

class MappingCompiler {
  constructor(
    private readonly problems: Problem[],
    private readonly hooks: ResolvedHooksOptions['hooks'],
    private readonly handlers: HandledHooks,
  ) {}

  /** Null when there was a problem. */
  compile(entry: MappingEntry): CompiledMapping | null {
    const { key } = entry;
    const options = withRules(entry.mapping, this.hooks.defaults, this.#hasSession);
    const before = this.problems.length;
    const action = options.action ?? 'agent';
    const path = this.#path(key, options);
    const when = this.#when(entry);
    this.problems.push(
      ...findMeaningless(entry, action, this.problems),
      ...findTemplatedAgent(entry),
      ...findHiddenReply(entry),
    );
    const forEach = this.#forEach(entry);
    const redaction = this.#redaction(entry);
    const templates = this.#templates(entry, action);
    const awaitedKey = this.#resumption(entry, action, templates);
    const replyTo = this.#replyTo(entry);
    this.problems.push(...findTwoRecipients(entry));
    const collect = this.#rules(entry, options);
    const excepted = this.#excepted(entry, options);
    const prefixes = this.hooks.allowedSessionKeyPrefixes ?? [];
    this.problems.push(...findStaticMistakes(entry, templates, prefixes));
    if (this.problems.length > before) return null;
    const handler = options.id === undefined ? undefined : this.handlers.get(options.id);
    return {
      id: options.id ?? path ?? options.match?.source ?? 'any',
      kind: action === 'resume' ? 'agent' : action,
      templates,
      options,
      ...(path !== undefined && { path: bareName(path) }),
      ...(options.match?.source !== undefined && { source: options.match.source }),
      ...(when !== undefined && { when }),
      dedupe: dedupeRule(entry),
      forEach,
      redaction,
      ...(replyTo !== undefined && { replyTo }),
      ...(awaitedKey !== undefined && { awaitedKey }),
      ...(collect !== undefined && { collect }),
      ...(excepted !== undefined && { excepted }),
      task: taskOf(entry),
      ...(handler !== undefined && { handler }),
    };
  }

  /** Whether runs that name no session have one in common. */
  get #hasSession(): boolean {
    return this.hooks.defaultSessionKey !== undefined;
  }

  #report(key: string, message: string): void {
    this.problems.push({ key, message });
  }

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

  #when(entry: MappingEntry): ParsedConditions | undefined {
    const { when } = entry.mapping;
    if (when === undefined) return undefined;
    return this.#conditions(when, keyOf(entry, 'when'));
  }

  #conditions(written: Conditions, key: string): ParsedConditions {
    const { conditions, problems } = parseConditions(written, key);
    this.problems.push(...problems);
    return conditions;
  }

  #replyTo(entry: MappingEntry): CompiledReplyTo | undefined {
    const { replyTo } = entry.mapping;
    if (replyTo === undefined) return undefined;
    const { private: closed } = replyTo;
    const key = keyOf(entry, 'replyTo');
    const to = this.#template(replyTo.to, `${key}.to`);
    const text =
      replyTo.text === undefined ? undefined : this.#template(replyTo.text, `${key}.text`);
    if (to === undefined) return undefined;
    return {
      provider: replyTo.provider,
      to,
      ...(text !== undefined && { text }),
      ...(closed !== undefined && {
        private: closed === true ? [] : this.#conditions(closed, `${key}.private`),
      }),
    };
  }

  #template(written: ReplyToOptions['to'], key: string): Template | undefined {
    const template = parseTemplate(written);
    if (typeof template !== 'string') return template;
    this.#report(key, template);
    return undefined;
  }

  #resumption(
    entry: MappingEntry,
    action: MappingAction,
    { resume }: CompiledMapping['templates'],
  ): Template | undefined {
    const { key } = entry.mapping.waitFor ?? {};
    if (action === 'resume' && resume === undefined) {
      const message = "is needed by action: 'resume', such as {{ payload.deployment.id }}";
      this.#report(keyOf(entry, 'resume'), message);
    }
    return key === undefined ? undefined : this.#template(key, `${keyOf(entry, 'waitFor')}.key`);
  }

  #rules(entry: MappingEntry, options: MappingOptions): CompiledCollect | undefined {
    const wrong = contradictionOf(options, this.#hasSession);
    if (wrong !== null) this.#report(keyOf(entry, wrong.field), wrong.message);
    const collect = collectOf(options);
    const { by } = options.collect ?? {};
    const key = keyOf(entry, 'collect');
    if (collect?.quietMs !== undefined && collect.quietMs >= collect.forMs) {
      this.#report(`${key}.quiet`, 'must be shorter than for, or its run never begins earlier');
    }
    const template = by === undefined ? undefined : this.#template(by, `${key}.by`);
    return collect && { ...collect, ...(template !== undefined && { by: template }) };
  }

  #excepted(entry: MappingEntry, { quietHours }: MappingOptions): ParsedConditions[] | undefined {
    const key = keyOf(entry, 'quietHours');
    return quietHours?.except?.map((one, at) => this.#conditions(one, `${key}.except[${at}]`));
  }

  #forEach(entry: MappingEntry): ValuePath | undefined {
    const { forEach: source } = entry.mapping;
    if (source === undefined) return undefined;
    const path = parsePath(source);
    if (path !== null) return path;
    const message = 'is not a path; write for example messages or payload.items';
    this.#report(keyOf(entry, 'forEach'), message);
    return undefined;
  }

  #redaction(entry: MappingEntry): Redaction {
    const { redact = [], keep = [] } = entry.mapping;
    const rulesOf = (field: 'redact' | 'keep', paths: readonly string[]) =>
      paths.flatMap((source, index) => {
        const path = parsePayloadPath(source);
        if (path !== null) return [{ path, keep: field === 'keep' }];
        const advice = 'write for example customer.email or items[].card';
        const key = `${keyOf(entry, field)}[${index}]`;
        this.#report(key, `is not a path into the payload; ${advice}`);
        return [];
      });
    return [...rulesOf('redact', redact), ...rulesOf('keep', keep)];
  }

  #templates(entry: MappingEntry, kind: MappingAction): CompiledMapping['templates'] {
    const templates: Partial<Record<TemplatedField, Template>> = {};
    for (const field of TEMPLATED) {
      const source = entry.mapping[field];
      // What a preset brings for the other kind of action is not used.
      if (source === undefined || UNREAD[kind].includes(field)) continue;
      const template = parseTemplate(source);
      if (typeof template === 'string') this.#report(keyOf(entry, field), template);
      else templates[field] = template;
    }
    return templates;
  }
}
