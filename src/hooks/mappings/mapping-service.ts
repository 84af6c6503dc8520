// docs/design/mappings.md
import { Injectable } from '@nestjs/common';
import type { Hours } from '../../platform/hours.ts';
import { ActionResolver } from '../actions/action-resolver.ts';
import type { ResolvedAction } from '../actions/action-resolver.ts';
import { bareName } from '../actions/hook-request.ts';
import type { HookRequest } from '../actions/hook-request.ts';
import { ConfiguredAgents, HooksSettings } from '../options/index.ts';
import type { Problem, ResolvedHooksOptions, SettingsFindings } from '../options/index.ts';
import { AgentDirectory, RunRules } from '../ports/index.ts';
import type { RunLimit } from '../ports/index.ts';
import { InvalidResult, readResult } from '../transforms/result.ts';
import { TransformSandbox } from '../transforms/transform-sandbox.ts';
import { applyDecisions, applyMapping, explainShadowed } from './apply.ts';
import type { Applied } from './apply.ts';
import { compileMappings } from './compile.ts';
import type { CompiledMappings } from './compile.ts';
import { MAX_ACTIONS } from './mapping.ts';
import type { CompiledMapping } from './mapping.ts';
import { explainRules } from './explain-rules.ts';
import type { CredentialRule } from './explain-when.ts';
import { explainMatch, findMapping, toMatchInput } from './match.ts';
import type { DeclinedRequest, MatchExplanation } from './match.ts';

/** @throws InvalidResult for what no JSON can say */
function toJson(value: unknown): string | undefined {
  try {
    const json: string | undefined = JSON.stringify(value);
    if (json === undefined && value !== undefined) throw new TypeError('it is no JSON');
    return json;
  } catch (error) {
    throw new InvalidResult(error instanceof Error ? error.message : 'it is no JSON');
  }
}

/** The face of the room: turns a payload into actions by the first configured mapping that matches. */
@Injectable()
export class MappingService extends RunRules {
  /** By settings, because a request keeps those that it began with. */
  readonly #compiled = new WeakMap<ResolvedHooksOptions, CompiledMappings>();

  constructor(
    private readonly settings: HooksSettings,
    private readonly resolver: ActionResolver,
    private readonly directory: AgentDirectory,
    private readonly sandbox: TransformSandbox,
  ) {
    super();
    settings.addCheck((next) => this.#check(next));
  }

  /** The mapping that takes this request; null when none knows its path. */
  match(request: HookRequest): CompiledMapping | DeclinedRequest | null {
    return findMapping(this.#compile(request.settings).mappings, toMatchInput(request));
  }

  /** The mapping's id, or the path that several share. Null: nothing is configured, or only the payload decides. */
  hookAt(name: string, settings: ResolvedHooksOptions): string | null {
    const asked = bareName(name);
    const { mappings } = this.#compile(settings);
    const [own, another] = mappings.filter(({ path }) => path === asked);
    if (own !== undefined) return another === undefined ? own.id : asked;
    const [first] = mappings.filter(({ path }) => path === undefined);
    return first !== undefined && first.source === undefined ? first.id : null;
  }

  /** How many runs may go on side by side of each hook that is limited: the built-in one, and those of mappings by their ids. */
  runPlaces(settings: ResolvedHooksOptions): Readonly<Record<string, number>> {
    const { maxConcurrent } = settings.hooks.agentLimits;
    const { runPlaces: mapped } = this.#compile(settings).rules;
    return maxConcurrent === undefined ? mapped : { ...mapped, agent: maxConcurrent };
  }

  override limitsOf(mapping: string): readonly RunLimit[] {
    const { runLimits, totalLimit } = this.#compile(this.settings.current).rules;
    return [runLimits.get(mapping), totalLimit].filter((limit) => limit !== undefined);
  }

  override quietHoursOf(mapping: string): Hours | undefined {
    return this.#compile(this.settings.current).rules.quietHours.get(mapping);
  }

  /** Whether senders may ask for replies of a mapping's runs; not where several mappings of one id disagree. */
  exposesReplies(id: string, settings: ResolvedHooksOptions): boolean {
    const own = this.#compile(settings).mappings.filter((mapping) => mapping.id === id);
    return own.length > 0 && own.every(({ options }) => options.exposeReply === true);
  }

  /** `isCredential`, by a name in lower case: what must not be shown of the values that conditions look at. */
  explainMatch(request: HookRequest, isCredential: CredentialRule): readonly MatchExplanation[] {
    const { mappings } = this.#compile(request.settings);
    return explainMatch(mappings, toMatchInput(request), isCredential);
  }

  /** Through the same policies as a direct request. @throws Rejection when one is not allowed, then none is made */
  apply(mapping: CompiledMapping, request: HookRequest): Promise<Applied> {
    const { resolver, sandbox } = this;
    return applyMapping({ mapping, request }, { resolver, sandbox });
  }

  /**
   * What a handler has asked for, through the same policies; null: no mapping has the id any more.
   * @throws Rejection when one is not allowed, then none is made; InvalidResult
   */
  async decide(
    id: string,
    request: HookRequest,
    returned: unknown,
  ): Promise<readonly ResolvedAction[] | null> {
    const { mappings } = this.#compile(request.settings);
    const mapping = mappings.find((one) => one.id === id && one.handler !== undefined);
    if (mapping === undefined) return null;
    const decisions = readResult(toJson(returned)) ?? [];
    if (decisions.length > MAX_ACTIONS) {
      throw new InvalidResult(`there are more than ${MAX_ACTIONS} actions`);
    }
    return applyDecisions({ mapping, request }, decisions, this.resolver);
  }

  /** What an operator should know of the placeholders of the mapping that takes this request. @throws Rejection */
  explainShadowed(request: HookRequest): readonly string[] {
    const mapping = this.match(request);
    return mapping === null || 'reason' in mapping ? [] : explainShadowed({ mapping, request });
  }

  explainRules(request: HookRequest): readonly string[] {
    const mapping = this.match(request);
    if (mapping === null || 'reason' in mapping) return [];
    return explainRules(mapping.options, request.settings.hooks.limit);
  }

  async #check(next: ResolvedHooksOptions): Promise<SettingsFindings> {
    const { problems, warnings, mappings } = this.#compile(next);
    const unserved = next.hooks.enabled ? this.#findUnserved(mappings) : [];
    return {
      problems: [...problems, ...(await this.sandbox.check(next))],
      warnings: [...warnings, ...unserved],
    };
  }

  /** Mappings that answer where nobody speaks, each provider once. */
  #findUnserved(mappings: readonly CompiledMapping[]): Problem[] {
    const unserved = new Map<string, Problem>();
    for (const { id, options, replyTo } of mappings) {
      if (options.reply !== 'source' || replyTo === undefined) continue;
      const { provider } = replyTo;
      if (unserved.has(provider) || this.resolver.serves(provider)) continue;
      const message = `answers by ${provider}, and no channel has that provider, so its replies go nowhere; set provider: "${provider}" for one of the channels`;
      unserved.set(provider, { key: `mapping ${id}`, message });
    }
    return [...unserved.values()];
  }

  #compile(settings: ResolvedHooksOptions): CompiledMappings {
    const known = this.#compiled.get(settings);
    if (known !== undefined) return known;
    const { directory } = this;
    // Configured agents are those of the settings in force, which these may not be yet: they are read from these.
    const agents = directory instanceof ConfiguredAgents ? undefined : directory.list();
    const compiled = compileMappings(settings, agents);
    this.#compiled.set(settings, compiled);
    return compiled;
  }
}
