import { BlockList, isIPv6 } from 'node:net';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  GATEWAY_NAMES,
  checkOptions,
  doubtfulSecrets,
  isLoopback,
  optionKeys,
  resolveSection,
  secretTexts,
  tokenFor,
  unservedChannels,
  writtenTokens,
} from '../../hooks/index.ts';
import type {
  ChannelBindings,
  HooksSettingsInput,
  OptionPlace,
  Problem,
  ResolvedHooksOptions,
} from '../../hooks/index.ts';
import type { MailOptions } from '../../mail/index.ts';
import { isRecord } from '../../platform/objects.ts';
import {
  leakedTokens,
  unfoundPrograms,
  unnamedModel,
  unservedModels,
  withAbsoluteWorkspaces,
} from './agents-section.ts';
import { bindChannels, unknownRecipient } from './channels-section.ts';
import type { ChannelsOptions } from './channels-section.ts';
import type { Environment } from './environment.ts';
import type { Sections } from './files.ts';
import { LISTEN_FORMS, isLocalAddress, isSamePort, parseListenAddress } from './listen-address.ts';
import type { ListenAddress } from './listen-address.ts';
import { MAIL_HOOK, divideHooks, senderWarnings } from './mail-section.ts';
import { operatorBehindProxy, wideRangeWarnings } from './proxies.ts';
import { operatorTokenProblems, operatorTokenWarnings } from './operator-tokens.ts';
import { CONFIGURATION, ConfigurationOptions, GatewayOptions, OpsOptions } from './sections.ts';
import { StoreOptions, storeWarnings } from './store-section.ts';
import { TokenFile } from './token-file.ts';

// From the sections as they were written to what a service takes:
//
// 1. Each section by its class: unknown keys, types, limits, defaults.
// 2. The operator's address and token, which other sections are compared with.
// 3. `hooks` by the hooks' own check, the one that `forRoot` makes; its problems come under the keys of gateway.json5.
// 4. What one section means for another: tokens that are the same, mail without a token, programs that are not there.
//
// A problem keeps a service from starting, and a reload from being taken; a warning is logged and shown.

const OPERATOR_TOKEN_FILE = 'operator-token';

export interface ResolvedSections {
  readonly gateway: GatewayOptions;
  /** `dir` is absolute. */
  readonly store: StoreOptions;
  readonly ops: OpsOptions;
  /** `ops.listen`, with an absolute path; undefined: operator API and console are on the listener of the hooks. */
  readonly operatorAddress: ListenAddress | undefined;
  readonly channels: ChannelBindings;
  readonly channelOptions: ChannelsOptions;
  /** The `hooks`, `agents` and `models` sections and their neighbours, as the hooks module takes them. */
  readonly hooks: HooksSettingsInput;
  /** `hooks.mail`, when there is one; its part of the mapping `mail` is in `hooks`. */
  readonly mail: MailOptions | undefined;
  readonly effective: ResolvedHooksOptions;
  /** Where the operator's token is kept when `gateway.auth.token` is absent. */
  readonly operatorTokenFile: TokenFile;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** Those of the hooks module, which logs them itself when it starts. */
  readonly hooksWarnings: readonly Problem[];
}

/**
 * Asks every check, so that all problems are seen at once.
 * @param dir what relative paths start from.
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
  const operatorAddress = parseListenAddress(ops.value.listen, dir) ?? undefined;
  const channels = bindChannels(sections['channels']);
  store.value.dir = resolve(dir, typeof store.value.dir === 'string' ? store.value.dir : '');
  const operatorTokenFile = new TokenFile(join(store.value.dir, OPERATOR_TOKEN_FILE));
  const operatorToken = gateway.value.auth?.token ?? operatorTokenFile.read();
  const divided = divideHooks(isRecord(sections['hooks']) ? sections['hooks'] : {});
  const { payloadDays, eventDays } = store.value;
  /** What the hooks module takes beside the keys of the `hooks` section. */
  const neighbours: HooksSettingsInput = {
    agents: withAbsoluteWorkspaces(sections['agents'], dir) ?? {},
    models: sections['models'] ?? {},
    retention: { payloadDays, eventDays },
    trustedProxies: gateway.value.trustedProxies,
    gatewayAuthToken: operatorToken,
    otherSecrets: secretTexts(sections, CONFIGURATION),
    configDir: dir,
  };
  const hooks: HooksSettingsInput = { ...divided.hooks, ...neighbours };
  const checked = await checkOptions(hooks, GATEWAY_NAMES);
  const isSound = checked.problems.length === 0;
  const own = [gateway, store, ops, channels].flatMap(({ problems }) => problems);
  const known = [...unknownSections(sections), ...strayHooksKeys(sections['hooks'], neighbours)];
  return {
    gateway: gateway.value,
    store: store.value,
    ops: ops.value,
    operatorAddress,
    channels: channels.bindings,
    channelOptions: channels.options,
    hooks,
    mail: divided.mail,
    effective: checked.resolved,
    operatorTokenFile,
    problems: distinct([
      ...known,
      ...own,
      ...divided.problems,
      ...checked.problems.map(divided.written),
      ...listenProblems(gateway.value, ops.value, operatorAddress),
      ...mailWithoutToken(divided.mail, checked.resolved),
      ...operatorTokenProblems(gateway.value, ops.value, operatorTokenFile, hooks),
      ...leakedTokens(hooks, env, ops.value),
    ]),
    warnings: [
      ...exposedWithoutProxy(gateway.value),
      ...(gateway.problems.length === 0 ? wideRangeWarnings(gateway.value) : []),
      ...operatorBehindProxy(gateway.value, ops.value, operatorAddress, checked.resolved),
      ...['agents', 'models', 'channels'].flatMap((name) =>
        secretsOnTheWay(CONFIGURATION.at(name), sections[name]),
      ),
      ...['gateway', 'channels', 'store', 'ops'].flatMap((name) =>
        doubtfulSecrets(sections[name], CONFIGURATION.at(name)),
      ),
      ...doubtfulSecrets(divided.mail, CONFIGURATION.at('hooks').at('mail')),
      ...listenWarnings(ops.value, gateway.value, operatorAddress),
      ...operatorTokenWarnings(gateway.value, ops.value, Date.now()),
      ...(store.problems.length === 0 ? storeWarnings(store.value, gateway.value.auth?.token) : []),
      ...disabledHooks(hooks),
      ...(isSound ? [...unservedModels(checked.resolved), ...unnamedModel(checked.resolved)] : []),
      ...(isSound ? unknownRecipient(checked.resolved, channels.bindings) : []),
      ...unfoundPrograms(checked.resolved, env),
      ...senderWarnings(divided.mail, divided.hooks),
    ],
    hooksWarnings: isSound
      ? [...checked.warnings, ...unservedChannels(checked.resolved, channels.bindings)]
      : [],
  };
}

/** An ingress that is off answers like any other unknown path: nothing else would say why. */
function disabledHooks({ enabled }: HooksSettingsInput): Problem[] {
  if (enabled === true) return [];
  return [{ key: 'hooks.enabled', message: 'is not true: every hook answers 404' }];
}

/** The watcher is a sender like any other, and of a digest it cannot send the token. */
function mailWithoutToken(
  mail: MailOptions | undefined,
  { hooks }: ResolvedHooksOptions,
): Problem[] {
  const hasAny = writtenTokens(hooks).length > 0;
  if (mail === undefined || !hasAny || tokenFor(hooks, MAIL_HOOK) !== undefined) return [];
  const message = `has no token to send with: write out hooks.token, or one of hooks.tokens that may speak to ${MAIL_HOOK}`;
  return [{ key: 'hooks.mail', message }];
}

/** A misspelt section would otherwise be ignored, and its defaults hold. */
function unknownSections(sections: Sections): Problem[] {
  const known = optionKeys(ConfigurationOptions);
  return Object.keys(sections)
    .filter((name) => !known.includes(name))
    .map((key) => ({ key, message: `is not a known section; known are ${known.join(', ')}` }));
}

/** Options of the hooks module that are sections of their own in gateway.json5 must not be given twice. */
function strayHooksKeys(hooks: unknown, neighbours: object): Problem[] {
  if (hooks === undefined || hooks === null) return [];
  if (!isRecord(hooks)) return [{ key: 'hooks', message: 'must be an object' }];
  return Object.keys(hooks)
    .filter((name) => Object.hasOwn(neighbours, name))
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

/** The service speaks plain HTTP: tokens would cross the network readable. */
function exposedWithoutProxy({ host, trustedProxies }: GatewayOptions): Problem[] {
  if (typeof host !== 'string' || isLoopback(host) || trustedProxies?.length > 0) return [];
  return [{ key: 'gateway.host', message: BEYOND_LOOPBACK }];
}

const OWN_NETWORKS = new BlockList();
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const) {
  OWN_NETWORKS.addSubnet(network, prefix);
}
OWN_NETWORKS.addSubnet('fc00::', 7, 'ipv6');
OWN_NETWORKS.addSubnet('fe80::', 10, 'ipv6');

/** A name without a dot is a neighbour's, e.g. of a container. */
const OWN_NAME = /^[^.:]+$|\.(?:local|internal|localhost|lan|home\.arpa)$/u;

/** Addresses to which a key or a token beside them would be sent readable for everybody on the way. */
function secretsOnTheWay(place: OptionPlace, value: unknown): Problem[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => secretsOnTheWay(place.at(index), item));
  }
  if (!isRecord(value)) return [];
  const hasSecret = secretTexts(value, place).length > 0;
  return Object.entries(value).flatMap(([name, child]) => {
    const { key } = place.at(name);
    if (typeof child !== 'string') return secretsOnTheWay(place.at(name), child);
    const url = hasSecret && /^http:/iu.test(child) ? URL.parse(child) : null;
    const host = url?.hostname.replaceAll(/[[\]]/gu, '') ?? '';
    if (url === null || isLoopback(host) || OWN_NAME.test(host)) return [];
    if (OWN_NETWORKS.check(host, isIPv6(host) ? 'ipv6' : 'ipv4')) return [];
    const message =
      'is http, and secrets are sent there without TLS: everybody on the way can read them; use https';
    return [{ key, message }];
  });
}

const BEYOND_LOOPBACK =
  'listens beyond loopback without gateway.trustedProxies: put a reverse proxy with TLS before it and name its address there';

/** What the class of the section cannot see: the path with the directory before it, and the port of the hooks. */
function listenProblems(
  { host, port }: GatewayOptions,
  { listen }: OpsOptions,
  operator: ListenAddress | undefined,
): Problem[] {
  const key = 'ops.listen';
  if (operator === undefined) {
    return listen === undefined ? [] : [{ key, message: LISTEN_FORMS }];
  }
  if (operator.kind !== 'tcp' || !isSamePort({ kind: 'tcp', host, port }, operator)) return [];
  // The system would say that "another program" has it.
  return [{ key, message: 'is the port of the hooks (gateway.port); set another one' }];
}

/** Other machines reach it: either nobody there is answered, or tokens would cross the network readable. */
function listenWarnings(
  { exposed }: OpsOptions,
  { trustedProxies }: GatewayOptions,
  operator: ListenAddress | undefined,
): Problem[] {
  if (operator === undefined || isLocalAddress(operator)) return [];
  const key = 'ops.listen';
  if (!exposed) {
    const message =
      'can be reached by other machines, and all of them are refused there: set ops.exposed, or listen on 127.0.0.1';
    return [{ key, message }];
  }
  return trustedProxies?.length > 0 ? [] : [{ key, message: BEYOND_LOOPBACK }];
}
