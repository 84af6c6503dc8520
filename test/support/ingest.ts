import { ActionResolver } from '../../src/hooks/actions/action-resolver.ts';
import type { HookRequest } from '../../src/hooks/actions/hook-request.ts';
import { compileMappings } from '../../src/hooks/mappings/compile.ts';
import { MappingService } from '../../src/hooks/mappings/mapping-service.ts';
import type { Applied } from '../../src/hooks/mappings/apply.ts';
import { AgentPolicy } from '../../src/hooks/actions/action-resolver.ts';
import { ModelPolicy } from '../../src/hooks/actions/action-resolver.ts';
import { SessionPolicy } from '../../src/hooks/actions/session-policy.ts';
import { TransformCompiler } from '../../src/hooks/transforms/compiler.ts';
import { TransformModules } from '../../src/hooks/transforms/modules.ts';
import { TransformSandbox } from '../../src/hooks/transforms/transform-sandbox.ts';
import {
  ConfigurationError,
  ConfiguredAgents,
  GATEWAY_NAMES,
  HooksSettings,
  resolveOptions,
} from '../../src/hooks/options/index.ts';
import type { HooksSettingsInput } from '../../src/hooks/options/index.ts';
import { Recipients } from '../../src/hooks/ports/index.ts';
import type { ChannelId, DeliveryTarget } from '../../src/hooks/ports/index.ts';
import { Rejection } from '../../src/hooks/ports/rejection.ts';

class NoRecipients extends Recipients {
  override find(): Promise<null> {
    return Promise.resolve(null);
  }

  override atSource(): null {
    return null;
  }

  override unserved({ channel }: DeliveryTarget): Promise<ChannelId | null> {
    return Promise.resolve(channel === 'last' ? null : channel);
  }

  override serves(): boolean {
    return false;
  }

  override isOwn(): boolean {
    return false;
  }
}

export function ingest(given: HooksSettingsInput) {
  const settings = new HooksSettings(given, GATEWAY_NAMES);
  const directory = new ConfiguredAgents(settings);
  const resolver = new ActionResolver(
    new AgentPolicy(directory),
    new SessionPolicy(),
    new ModelPolicy(),
    {},
    new NoRecipients(),
  );
  const sandbox = new TransformSandbox(new TransformModules(new TransformCompiler()));
  const mappings = new MappingService(settings, resolver, directory, sandbox);
  throwProblems(given);
  const verified = settings.verify();
  const { current } = settings;
  return {
    settings,
    directory,
    resolver,
    mappings,
    current,
    /** Settles when the settings were checked; warnings are logged by then. */
    verified,
    match: (request: HookRequest): string | null => {
      const found = mappings.match({ ...request, settings: current });
      return found === null || 'reason' in found ? null : found.id;
    },
    /** Why no mapping takes the request though one knows its path; null: one takes it, or none knows the path. */
    declines: (request: HookRequest): string | null => {
      const found = mappings.match({ ...request, settings: current });
      return found !== null && 'reason' in found ? found.reason : null;
    },
    async apply(given: HookRequest): Promise<Applied> {
      const request = { ...given, settings: current };
      const mapping = mappings.match(request);
      if (mapping === null || 'reason' in mapping) throw new Error('no mapping takes this request');
      return mappings.apply(mapping, request);
    },
  };
}

/** Throws at once what the settings would be refused with; transforms are not looked at. */
function throwProblems(given: HooksSettingsInput): void {
  const { problems, resolved, areMappingsSound } = resolveOptions(given, GATEWAY_NAMES);
  const all = [...problems, ...(areMappingsSound ? compileMappings(resolved).problems : [])];
  if (all.length > 0) throw new ConfigurationError(all);
}

export function findProblems(given: HooksSettingsInput): string[] {
  try {
    ingest(given);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.map(({ key, message }) => `${key} ${message}`);
  }
}

export function catchRejection(act: () => unknown): Rejection {
  try {
    act();
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
  throw new Error('was not refused');
}

const DEFAULTS = resolveOptions({}).resolved;

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
    settings: DEFAULTS,
    ...over,
  };
}
