import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { checkOptions, isLoopback, resolveSection, unservedChannels } from '../hooks/index.ts';
import type { HooksSettingsInput, Problem, ResolvedHooksOptions } from '../hooks/index.ts';
import { leakedTokens } from './agent-environment.ts';
import { withAbsoluteWorkspaces } from './agent-workspaces.ts';
import { bindChannels } from './channel-bindings.ts';
import type { MailOptions } from '../mail/index.ts';
import type { Bindings } from './channel-bindings.ts';
import { GatewayOptions } from './gateway-options.ts';
import { isSections } from './json5-document.ts';
import type { Sections } from './json5-document.ts';
import { divideHooks } from './mail-section.ts';
import { OpsOptions } from './ops-options.ts';
import { SECTIONS } from './sections.ts';
import { StoreOptions } from './store-options.ts';
import { TokenFile } from './token-file.ts';
import { unfoundPrograms } from './unfound-programs.ts';
import { unservedModels } from './unserved-models.ts';
import type { Environment } from './variables.ts';

/** Keys of the hooks module that are not keys of the `hooks` section. */
const NEIGHBOURS = new Set([
  'agents',
  'models',
  'retention',
  'gatewayAuthToken',
  'trustedProxies',
  'configDir',
]);

/** Name of the generated operator token in the data directory. */
const OPERATOR_TOKEN_FILE = 'operator-token';

/** The sections with their defaults, and everything that is wrong with them. */
export interface ResolvedSections {
  readonly gateway: GatewayOptions;
  readonly store: StoreOptions;
  readonly ops: OpsOptions;
  readonly channels: Bindings;
  readonly hooks: HooksSettingsInput;
  /** `hooks.mail`, when there is one. */
  readonly mail: MailOptions | undefined;
  /** What the hooks module would have in force. */
  readonly effective: ResolvedHooksOptions;
  /** Where the operator's token is kept when `gateway.auth.token` is absent. */
  readonly operatorTokenFile: TokenFile;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** Those of the hooks module, which tells them itself when it starts. */
  readonly hooksWarnings: readonly Problem[];
}

/**
 * Fills in every default and checks every section.
 * @param dir what a relative `store.dir` or `workspace`, and the transforms, start from.
 * @param env what agents may be given variables of.
 */
export async function resolveSections(
  sections: Sections,
  dir: string,
  env: Environment,
): Promise<ResolvedSections> {
  const gateway = resolveSection(GatewayOptions, sections['gateway'], 'gateway');
  const store = resolveSection(StoreOptions, sections['store'], 'store');
  const ops = resolveSection(OpsOptions, sections['ops'], 'ops');
  const channels = bindChannels(sections['channels']);
  store.value.dir = resolve(dir, typeof store.value.dir === 'string' ? store.value.dir : '');
  const operatorTokenFile = new TokenFile(join(store.value.dir, OPERATOR_TOKEN_FILE));
  const operatorToken = gateway.value.auth?.token ?? operatorTokenFile.read();
  const divided = divideHooks(isSections(sections['hooks']) ? sections['hooks'] : {});
  const hooks = {
    ...hooksInput(divided.hooks, sections, dir, gateway.value, store.value),
    gatewayAuthToken: operatorToken,
    configDir: dir,
  };
  const checked = await checkOptions(hooks);
  const isSound = checked.problems.length === 0;
  const own = [gateway, store, ops, channels].flatMap(({ problems }) => problems);
  const known = [...unknownSections(sections), ...strayHooksKeys(sections['hooks'])];
  return {
    gateway: gateway.value,
    store: store.value,
    ops: ops.value,
    channels: channels.bindings,
    hooks,
    mail: divided.mail,
    effective: checked.resolved,
    operatorTokenFile,
    problems: distinct([
      ...known,
      ...own,
      ...divided.problems,
      ...checked.problems.map(divided.written),
      ...leakedTokens(hooks, env),
    ]),
    warnings: [
      ...exposure(gateway.value),
      ...silence(hooks),
      ...(isSound ? unservedModels(checked.resolved) : []),
      ...unfoundPrograms(checked.resolved, env),
    ],
    hooksWarnings: isSound
      ? [...checked.warnings, ...unservedChannels(checked.resolved, channels.bindings)]
      : [],
  };
}

/** An ingress that is off answers like any other unknown path: nothing else would tell why. */
function silence({ enabled }: HooksSettingsInput): Problem[] {
  if (enabled === true) return [];
  return [{ key: 'hooks.enabled', message: 'is not true: every hook answers 404' }];
}

function hooksInput(
  hooks: Sections,
  sections: Sections,
  dir: string,
  gateway: GatewayOptions,
  { payloadDays, eventDays }: StoreOptions,
): HooksSettingsInput {
  return {
    ...hooks,
    agents: withAbsoluteWorkspaces(sections['agents'], dir) ?? {},
    models: sections['models'] ?? {},
    retention: { payloadDays, eventDays },
    trustedProxies: gateway.trustedProxies,
  };
}

function unknownSections(sections: Sections): Problem[] {
  const known = Object.keys(SECTIONS);
  return Object.keys(sections)
    .filter((name) => !known.includes(name))
    .map((key) => ({ key, message: `is not a known section; known are ${known.join(', ')}` }));
}

function strayHooksKeys(hooks: unknown): Problem[] {
  if (hooks === undefined || hooks === null) return [];
  if (!isSections(hooks)) return [{ key: 'hooks', message: 'must be an object' }];
  return Object.keys(hooks)
    .filter((name) => NEIGHBOURS.has(name))
    .map((name) => ({
      key: `hooks.${name}`,
      message: 'is not a known key; remove it or correct its spelling',
    }));
}

/** `store` is checked as a section and as the module's retention: what both say is said once. */
function distinct(problems: readonly Problem[]): Problem[] {
  return problems.filter(
    (problem, index) => problems.findIndex((other) => isDeepStrictEqual(other, problem)) === index,
  );
}

function exposure({ host, trustedProxies }: GatewayOptions): Problem[] {
  if (typeof host !== 'string' || isLoopback(host) || trustedProxies?.length > 0) return [];
  const message =
    'listens beyond loopback without gateway.trustedProxies: put a reverse proxy with TLS before it and name its address there';
  return [{ key: 'gateway.host', message }];
}
