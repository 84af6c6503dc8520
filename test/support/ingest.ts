import { AgentDispatch } from '../../src/hooks/ingest/agent-dispatch.ts';
import type { HookRequest } from '../../src/hooks/ingest/hook-request.ts';
import { MappingService } from '../../src/hooks/ingest/mapping/mapping-service.ts';
import { AgentPolicy } from '../../src/hooks/ingest/policy/agent-policy.ts';
import { ModelPolicy } from '../../src/hooks/ingest/policy/model-policy.ts';
import { SessionPolicy } from '../../src/hooks/ingest/policy/session-policy.ts';
import {
  ConfigurationError,
  ConfiguredAgents,
  HooksSettings,
} from '../../src/hooks/options/index.ts';
import type { HooksSettingsInput } from '../../src/hooks/options/index.ts';
import { Rejection } from '../../src/hooks/rejections/index.ts';

/** The rooms between the door and the ledger under one configuration. */
export function ingest(given: HooksSettingsInput) {
  const settings = new HooksSettings(given);
  const directory = new ConfiguredAgents(settings);
  const dispatch = new AgentDispatch(
    new AgentPolicy(directory),
    new SessionPolicy(),
    new ModelPolicy(),
  );
  const mappings = new MappingService(settings, dispatch, directory);
  settings.verify();
  const { current } = settings;
  return {
    settings,
    dispatch,
    mappings,
    current,
    /** Id of the mapping that takes the request. */
    match: (request: HookRequest) => mappings.match(request, current)?.id ?? null,
    /** What the mapping makes of the request. */
    apply(request: HookRequest) {
      const mapping = mappings.match(request, current);
      if (mapping === null) throw new Error('no mapping takes this request');
      return mappings.apply(mapping, request, current);
    },
  };
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
