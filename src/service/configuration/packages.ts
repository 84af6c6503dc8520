import { packageOf } from '../../adapters/agents/model-providers.ts';
import { DEFAULT_PROVIDERS, channelPackage } from '../../adapters/channels/providers.ts';
import { agentRuns } from '../../hooks/index.ts';
import type { Problem, ResolvedHooksOptions } from '../../hooks/index.ts';
import { installCommand, missingPackages, withRange } from '../../platform/optional-package.ts';
import type { OptionalPackage } from '../../platform/optional-package.ts';
import { channelEntries } from './channels-section.ts';
import type { ChannelsOptions } from './channels-section.ts';
import type { ResolvedSections } from './resolve.ts';

export interface Need {
  readonly name: OptionalPackage;
  readonly key: string;
}

/** The key of the warning: it is about none of the configuration's own. */
export const PACKAGES_KEY = 'packages';

/** Every optional package that a configuration without problems needs, each with the first key that does. */
export function neededPackages(resolved: ResolvedSections): Need[] {
  const { effective, store, mail, ops } = resolved;
  const all = [
    ...modelNeeds(effective),
    ...toolNeeds(effective),
    ...channelNeeds(resolved.channelOptions),
    ...needs(
      'hooks.mail',
      mail === undefined
        ? []
        : ['imapflow', 'mailparser', 'html-to-text', 'css-tree', 'css-select'],
    ),
    ...needs('store.postgres', store.postgres === undefined ? [] : ['pg']),
    ...needs('ops.metricsToken', ops.metricsToken === undefined ? [] : ['prom-client']),
  ];
  return [...new Map(all.toReversed().map((need) => [need.name, need])).values()].toReversed();
}

/** What is missing, in words, and the one command that installs all of it. */
export interface MissingPackages {
  readonly what: string;
  readonly command: string;
  /** With their ranges, as npm takes them. */
  readonly packages: readonly string[];
}

/** @returns null when nothing is missing. @param from the module that would load them, default ours */
export function findMissing(all: readonly Need[], from?: string): MissingPackages | null {
  const missing = missingPackages(
    all.map(({ name }) => name),
    from,
  );
  if (missing.length === 0) return null;
  const named = all
    .filter(({ name }) => missing.includes(name))
    .map(({ name, key }) => `${name} (for ${key})`);
  const what = `missing, or of another version: ${named.join(', ')}; what needs them waits`;
  return { what, command: installCommand(missing), packages: missing.map(withRange) };
}

export function missingWarnings(all: readonly Need[]): Problem[] {
  const missing = findMissing(all);
  if (missing === null) return [];
  const { what, command } = missing;
  return [{ key: PACKAGES_KEY, message: `are ${what}; install them with: ${command}` }];
}

/** Those of the agents that a model or another gateway runs. */
function modelNeeds({ agents, models }: ResolvedHooksOptions): Need[] {
  const runs = agentRuns(agents);
  const byModel = runs.filter(({ runner }) => runner === 'model');
  const compatible = packageOf('openai-compatible');
  const providers = byModel.length === 0 ? [] : [...models.providers];
  return [
    ...providers.flatMap(([name, { type }]) =>
      needs(`models.providers.${name}`, ['ai', packageOf(type)]),
    ),
    // Where no model is named, or auto, a local Ollama is asked.
    ...byModel
      .filter(({ model = 'auto' }) => model === 'auto')
      .flatMap(({ key }) => needs(`${key}.model`, ['ai', compatible])),
    ...runs
      .filter(({ runner }) => runner === 'http')
      .flatMap(({ key }) => needs(`${key}.runner`, ['ai', compatible])),
  ];
}

function toolNeeds({ agents }: ResolvedHooksOptions): Need[] {
  return agents.list.flatMap(({ tools }, index) =>
    needs(`agents.list[${index}].tools.mcp`, (tools?.mcp?.size ?? 0) === 0 ? [] : ['@ai-sdk/mcp']),
  );
}

function channelNeeds(options: ChannelsOptions): Need[] {
  return channelEntries(options).flatMap(([id, { provider = DEFAULT_PROVIDERS[id] }]) => {
    const name = channelPackage(provider);
    return needs(`channels.${id}`, name === undefined ? [] : [name]);
  });
}

function needs(key: string, names: readonly OptionalPackage[]): Need[] {
  return names.map((name) => ({ name, key }));
}
