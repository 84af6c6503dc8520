import { AgentPolicy } from '../actions/action-resolver.ts';
import { ModelPolicy } from '../actions/action-resolver.ts';
import { builtInHook } from '../actions/hook-request.ts';
import { SessionPolicy } from '../actions/session-policy.ts';
import type { NamedKey } from '../actions/session-policy.ts';
import { fitsPrefix, onePerKey } from '../options/index.ts';
import type { NamingProblem, Problem, ResolvedHooksOptions } from '../options/index.ts';
import { AgentDirectory } from '../ports/index.ts';
import type { Agent } from '../ports/index.ts';
import { Rejection } from '../ports/rejection.ts';
import { keyOf, toLabel } from './mapping.ts';
import type { CompiledMapping, MappingEntry, PlacedMapping } from './mapping.ts';
import { findUnasked, findUnknownAgents, findUnlistedAgents } from './lint-agents.ts';
import type { ListedAgent } from './lint-agents.ts';
import { findUnknownScopes } from './lint-budgets.ts';
import { isStatic, listPaths } from './template.ts';
import type { Template } from './template.ts';
import type { ValuePath } from './value-path.ts';
import { isImplied, placesOf } from './when.ts';

// A mapping of which every request would be refused is a problem: the configuration is not taken. What works but cannot
// be meant is a warning.

const ALWAYS = 'is refused for every request';

/** `placed`: in the order in which they are tried. `agents`: the default one first, their ids in small letters. */
export function lintMappings(
  placed: readonly PlacedMapping[],
  settings: ResolvedHooksOptions,
  agents: readonly ListedAgent[],
): { problems: Problem[]; warnings: Problem[] } {
  const agentIds = agents.map(({ id }) => id);
  const refused = new AlwaysRefused(settings, agentIds);
  return {
    problems: [
      ...refused.findInDefaultSession(),
      ...placed.flatMap((mapping) => refused.findProblems(mapping)),
      ...findUnanswerable(placed),
      ...findNeverResumed(placed),
      ...findUnasked(placed, agents),
      ...onePerKey(
        placed.flatMap((mapping, index) => findChosenTrust(mapping, placed.slice(0, index))),
      ),
    ],
    warnings: [
      ...findUnreachable(placed, settings),
      ...findUnknownAgents(settings, agentIds),
      ...findUnlistedAgents(settings, agentIds),
      ...findUnknownScopes(placed, settings, agentIds),
      ...placed.flatMap((mapping) => [
        ...findEmptyPlaceholders(mapping),
        ...findDeafness(mapping),
        ...refused.findWarnings(mapping),
      ]),
    ],
  };
}

/** By what it sends, a sender would choose the mapping that trusts it. Headers count, whoever signs them. */
function findChosenTrust(
  { entry, compiled }: PlacedMapping,
  earlier: readonly PlacedMapping[],
): Problem[] {
  if (compiled.options.allowUnsafeExternalContent !== true) return [];
  const own = choicesOf(compiled);
  const left = earlier
    .filter((other) => mayMeet(other.compiled, compiled))
    .flatMap((other) => choicesOf(other.compiled));
  const reason =
    own.length > 0
      ? `its match depends on ${own.join(', ')}; match by match.path alone`
      : `what an earlier one leaves to it depends on ${[...new Set(left)].join(', ')}; give it a match.path of its own`;
  if (own.length + left.length === 0) return [];
  const message = `must not be true where the sender can choose the mapping: ${reason}`;
  return [{ key: keyOf(entry, 'allowUnsafeExternalContent'), message }];
}

function findNeverResumed(placed: readonly PlacedMapping[]): Problem[] {
  const resuming = placed.filter(({ compiled }) => compiled.templates.resume !== undefined);
  const ids = new Set(resuming.map(({ compiled }) => compiled.id));
  return placed.flatMap(({ entry, compiled }) => {
    const others = compiled.options.waitFor?.by.filter((id) => !ids.has(id)) ?? [];
    const message = `names ${others.join(', ')}, and no mapping of that id has action: 'resume'`;
    return others.length === 0 ? [] : [{ key: `${keyOf(entry, 'waitFor')}.by`, message }];
  });
}

function choicesOf({ source, when = [] }: CompiledMapping): string[] {
  return [...(source === undefined ? [] : ['match.source']), ...placesOf(when)];
}

function mayMeet({ path: one }: CompiledMapping, { path: other }: CompiledMapping): boolean {
  return one === undefined || other === undefined || one === other;
}

/** What no payload can make right about a mapping's `sessionKey` (behaviour.md §6). */
export function findSessionKeyProblems(
  key: string,
  template: Template | undefined,
  prefixes: readonly string[],
): Problem[] {
  if (template === undefined) return [];
  const start = template.literalStart;
  const messages = isStatic(template) ? [] : findDerivedKeyProblems(start.trim());
  const canFit = (prefix: string): boolean =>
    fitsPrefix(start, [prefix]) || (!isStatic(template) && fitsPrefix(prefix, [start]));
  if (prefixes.length > 0 && !prefixes.some(canFit)) {
    messages.push(
      `can never begin with one of hooks.allowedSessionKeyPrefixes (${prefixes.join(', ')})`,
    );
  }
  return messages.map((message) => ({ key, message }));
}

function findDerivedKeyProblems(start: string): string[] {
  if (start === '') {
    return [
      'must begin with literal text, so that a payload cannot choose the session; write for example hook:name:{{ id }}',
    ];
  }
  if (!/^agent:/iu.test(start)) return [];
  return [
    'must not begin with agent: when a payload fills it in; write for example hook:name:{{ id }}',
  ];
}

/** What shall be answered where it came from, and nothing says where that is; of a preset, some cases may know. */
function findUnanswerable(placed: readonly PlacedMapping[]): Problem[] {
  const asked = placed.filter(({ compiled }) => compiled.options.reply === 'source');
  const keys = new Map<string, boolean>();
  for (const { entry, compiled } of asked) {
    const key = keyOf(entry, 'reply');
    keys.set(key, keys.get(key) === true || compiled.replyTo !== undefined);
  }
  const message =
    "needs a replyTo beside it that says where an event came from: { provider: 'github', to: '{{ … }}' }";
  return Array.from(keys).flatMap(([key, isKnown]) => (isKnown ? [] : [{ key, message }]));
}

/** A place of the operator's own where nobody could tell our answers from others'. */
function findDeafness({ entry, compiled: { options, replyTo } }: PlacedMapping): Problem[] {
  const isOperators = entry.layers.some(({ mapping }) => mapping.replyTo !== undefined);
  if (options.reply !== 'source' || replyTo === undefined || !isOperators) return [];
  if (replyTo.text !== undefined) return [];
  const message =
    'has no text, so answers that come back as events are answered again; say where the words of its author stand, or leave the bot out by when';
  return [{ key: keyOf(entry, 'replyTo'), message }];
}

function findUnreachable(
  placed: readonly PlacedMapping[],
  settings: ResolvedHooksOptions,
): NamingProblem[] {
  return placed.flatMap(({ entry, compiled }, index) => {
    const first = placed.slice(0, index).find((earlier) => takesAllOf(earlier.compiled, compiled));
    const reason =
      first === undefined ? explainBuiltIn(compiled, settings) : explainEarlier(first.entry, entry);
    if (reason === undefined) return [];
    const names = first === undefined ? [] : [first.entry.key];
    return [{ key: toLabel(entry), message: `can never match: ${reason}`, names }];
  });
}

function takesAllOf(earlier: CompiledMapping, later: CompiledMapping): boolean {
  return (
    (earlier.path === undefined || earlier.path === later.path) &&
    (earlier.source === undefined || earlier.source === later.source) &&
    (earlier.when === undefined || isImplied(earlier.when, later.when ?? []))
  );
}

function explainEarlier(earlier: MappingEntry, { key, mapping }: MappingEntry): string {
  const advice =
    key === `preset ${mapping.id}`
      ? `give that mapping the id ${mapping.id} to change the preset, or narrow its match`
      : 'put it before that one, or narrow the match of that one';
  return `${toLabel(earlier)} comes first and takes all of its requests; ${advice}`;
}

function explainBuiltIn(
  { path = '' }: CompiledMapping,
  settings: ResolvedHooksOptions,
): string | undefined {
  if (builtInHook(path, settings) === undefined) return undefined;
  return `the built-in hook ${path} wins (only ${path}/, with the slash, would come here); give it another path, or switch the built-in off (hooks.endpoints)`;
}

function findEmptyPlaceholders({ entry, compiled }: PlacedMapping): Problem[] {
  const hasItems = compiled.forEach !== undefined;
  return Object.entries(compiled.templates).flatMap(([field, template]) => {
    const mistakes = listPaths(template).flatMap(
      ({ path, isInList }) => findMistake(path, hasItems || isInList) ?? [],
    );
    if (field === 'dedupeKey' && isStatic(template)) {
      mistakes.push(
        'has no placeholder and tells no two requests apart; write for example {{ id }}',
      );
    }
    return [...new Set(mistakes)].map((mistake) => ({
      key: toLabel(entry),
      message: `${field} ${mistake}`,
    }));
  });
}

function findMistake([root = '', name = '']: ValuePath, hasItems: boolean): string | undefined {
  if (!hasItems && (root === 'item' || root === 'index')) {
    return `looks at ${root}, which exists with forEach and in a line of a list only`;
  }
  if (root === 'headers' && name !== name.toLowerCase()) {
    return `looks at headers.${name}; names of headers are in lower case, write headers.${name.toLowerCase()}`;
  }
  return undefined;
}

/** Found by asking the same policies that requests will meet, whatever their payload. */
class AlwaysRefused {
  readonly #directory: AgentDirectory;
  readonly #agents: AgentPolicy;
  readonly #sessions = new SessionPolicy();
  readonly #models = new ModelPolicy();

  constructor(
    private readonly settings: ResolvedHooksOptions,
    agentIds: readonly string[],
  ) {
    this.#directory = new NamedAgents(agentIds);
    this.#agents = new AgentPolicy(this.#directory);
  }

  /** `hooks.defaultSessionKey`, for requests that name neither an agent nor a session. */
  findInDefaultSession(): Problem[] {
    const refusal = this.#sessionRefusal(undefined, undefined);
    return toProblems('hooks.defaultSessionKey', refusal && `is refused for every run: ${refusal}`);
  }

  findProblems({ entry, compiled }: PlacedMapping): Problem[] {
    const isRefusedAnyway = this.#agentRefusal(compiled) !== undefined;
    return compiled.kind !== 'agent' || isRefusedAnyway ? [] : this.#session(entry, compiled);
  }

  /** Only a warning, because the lists that do not allow the agent or the model may be what is to be changed. */
  findWarnings({ entry, compiled }: PlacedMapping): Problem[] {
    const model = staticText(compiled.templates.model);
    const key = toLabel(entry);
    const agentRefusal = this.#agentRefusal(compiled);
    const modelRefusal = this.#modelRefusal(model);
    return [
      ...toProblems(key, agentRefusal && `agentId ${ALWAYS}: ${agentRefusal}`),
      ...toProblems(key, modelRefusal && `model ${ALWAYS}: ${modelRefusal}`),
    ];
  }

  #session(entry: MappingEntry, { options: { agentId }, templates }: CompiledMapping): Problem[] {
    const template = templates.sessionKey;
    const text = staticText(template);
    if (text !== undefined) {
      const refusal = this.#sessionRefusal({ key: text, from: 'mapping' }, agentId);
      return toProblems(keyOf(entry, 'sessionKey'), refusal && `${ALWAYS}: ${refusal}`);
    }
    const isDefaultAgent = this.#directory.resolve(agentId) === this.#directory.resolve();
    // The default agent's own use of the default session is reported once, under its key.
    if (template !== undefined || isDefaultAgent) return [];
    const refusal = this.#sessionRefusal(undefined, agentId);
    const message = `needs a sessionKey beside it; in hooks.defaultSessionKey every request is refused: ${refusal}`;
    return toProblems(keyOf(entry, 'agentId'), refusal && message);
  }

  #sessionRefusal(named: NamedKey | undefined, agentId: string | undefined): string | undefined {
    return catchRefusal(() => {
      this.#sessions.resolve(named, this.#directory.resolve(agentId).id, this.settings);
    });
  }

  #agentRefusal({ options: { agentId } }: CompiledMapping): string | undefined {
    return catchRefusal(() => this.#agents.resolve(agentId, this.settings));
  }

  #modelRefusal(model: string | undefined): string | undefined {
    if (model === undefined) return undefined;
    return catchRefusal(() => this.#models.resolve(model.trim(), this.settings));
  }
}

class NamedAgents extends AgentDirectory {
  constructor(private readonly ids: readonly string[]) {
    super();
  }

  override list(): readonly Agent[] {
    return this.ids.map((id) => ({ id, timeoutSeconds: 0 }));
  }
}

function staticText(template: Template | undefined): string | undefined {
  return template !== undefined && isStatic(template) ? template.literalStart : undefined;
}

function toProblems(key: string, message: string | undefined): Problem[] {
  return message === undefined ? [] : [{ key, message }];
}

/** The message of the refusal. Where other settings are wrong, a policy may break over them; those are reported elsewhere. */
function catchRefusal(ask: () => unknown): string | undefined {
  try {
    ask();
    return undefined;
  } catch (error) {
    return error instanceof Rejection ? error.message.replace(/\.$/u, '') : undefined;
  }
}
