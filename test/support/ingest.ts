import { AgentDispatch } from '../../src/hooks/ingest/agent-dispatch.ts';
import type { HookRequest } from '../../src/hooks/ingest/hook-request.ts';
import { compileMappings } from '../../src/hooks/ingest/mapping/compile.ts';
import { MappingService } from '../../src/hooks/ingest/mapping/mapping-service.ts';
import type { Applied } from '../../src/hooks/ingest/mapping/mapping-service.ts';
import { AgentPolicy } from '../../src/hooks/ingest/policy/agent-policy.ts';
import { ModelPolicy } from '../../src/hooks/ingest/policy/model-policy.ts';
import { SessionPolicy } from '../../src/hooks/ingest/policy/session-policy.ts';
import { TransformCompiler } from '../../src/hooks/ingest/transform/transform-compiler.ts';
import { TransformModules } from '../../src/hooks/ingest/transform/transform-modules.ts';
import { TransformSandbox } from '../../src/hooks/ingest/transform/transform-sandbox.ts';
import {
  ConfigurationError,
  ConfiguredAgents,
  HooksSettings,
  areMappingsSound,
  resolveOptions,
} from '../../src/hooks/options/index.ts';
import type { HooksSettingsInput } from '../../src/hooks/options/index.ts';
import { Rejection } from '../../src/hooks/rejections/index.ts';

/** The rooms between the door and the ledger under one configuration without transforms. */
export function ingest(given: HooksSettingsInput) {
  const settings = new HooksSettings(given);
  const directory = new ConfiguredAgents(settings);
  const dispatch = new AgentDispatch(
    new AgentPolicy(directory),
    new SessionPolicy(),
    new ModelPolicy(),
  );
  const sandbox = new TransformSandbox(new TransformModules(new TransformCompiler()));
  const mappings = new MappingService(settings, dispatch, directory, sandbox);
  throwProblems(given);
  void settings.verify();
  const { current } = settings;
  return {
    settings,
    dispatch,
    mappings,
    current,
    /** Id of the mapping that takes the request. */
    match: (request: HookRequest) => mappings.match(request, current)?.id ?? null,
    /** What the mapping makes of the request. */
    apply(request: HookRequest): Applied {
      const mapping = mappings.match(request, current);
      if (mapping === null) throw new Error('no mapping takes this request');
      const applied = mappings.apply(mapping, request, current);
      if (applied instanceof Promise) throw new Error('this mapping has a transform');
      return applied;
    },
  };
}

/** What the settings would be refused with, at once: without transforms nothing has to be waited for. */
function throwProblems(given: HooksSettingsInput): void {
  const { problems, resolved } = resolveOptions(given);
  const all = [
    ...problems,
    ...(areMappingsSound(problems) ? compileMappings(resolved).problems : []),
  ];
  if (all.length > 0) throw new ConfigurationError(all);
}

/** The problems that a configuration is refused with, a sentence each. */
export function problemsOf(given: HooksSettingsInput): string[] {
  try {
    ingest(given);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.map(({ key, message }) => `${key} ${message}`);
  }
}

/** The refusal that `act` ends with. */
export function rejectionOf(act: () => unknown): Rejection {
  try {
    act();
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
  throw new Error('was not refused');
}

/** A request that passed the door. */
export function hookRequest(
  name: string,
  payload: unknown = {},
  over: Partial<HookRequest> = {},
): HookRequest {
  return {
    name,
    payload,
    payloadText: over.payloadText ?? JSON.stringify(payload),
    query: {},
    headers: {},
    client: '127.0.0.1',
    verifiedBy: 'token',
    receivedAt: Date.UTC(2026, 0, 1),
    ...over,
  };
}
