import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigurationError } from '../../hooks/index.ts';
import type { ChannelBindings, HooksSettingsInput, Problem } from '../../hooks/index.ts';
import type { MailOptions } from '../../mail/index.ts';
import { isRecord } from '../../platform/objects.ts';
import type { Environment } from './environment.ts';
import { modeWarnings } from './file-modes.ts';
import { readConfigurationFiles } from './files.ts';
import type { ConfigurationFiles, Sections } from './files.ts';
import { inspectConfiguration } from './inspect.ts';
import type { ListenAddress } from './listen-address.ts';
import type { Need } from './packages.ts';
import type { GatewayOptions, OpsOptions } from './sections.ts';
import type { StoreOptions } from './store-section.ts';

/** The whole configuration of a service, checked and complete. Never changed; a reload makes a new one. */
export interface Configuration {
  readonly dir: string;
  /** True: there is neither gateway.json5 nor a fragment, the service shows itself with tokens of its own. */
  readonly isDemo: boolean;
  readonly gateway: GatewayOptions;
  /** The operator's token: `gateway.auth.token`, or the one that was generated. */
  readonly operatorToken: string;
  /** Where the operator's token is kept, when it was generated. */
  readonly operatorTokenFile: string | undefined;
  /** Where the hook token is kept, when it was generated (demo only). */
  readonly hookTokenFile: string | undefined;
  /** `dir` is absolute. */
  readonly store: StoreOptions;
  readonly channels: ChannelBindings;
  readonly ops: OpsOptions;
  /** `ops.listen`; undefined: operator API and console are on the listener of the hooks. */
  readonly operatorAddress: ListenAddress | undefined;
  /** The `hooks`, `agents` and `models` sections and their neighbours, as the hooks module takes them. */
  readonly hooks: HooksSettingsInput;
  /** `hooks.mail`, when there is one; its part of the mapping `mail` is in `hooks`. */
  readonly mail: MailOptions | undefined;
  /** The environment, `.env` included. */
  readonly env: Environment;
  /** What it was read from. */
  readonly files: ConfigurationFiles;
  /** The sections as written, variables replaced. */
  readonly sections: Sections;
  /** The sections as written, variables as references. */
  readonly written: Sections;
  /** Adds to a problem of the merged sections the file it stands in. */
  readonly place: (problem: Problem) => Problem;
  /** What is allowed but should be looked at. */
  readonly warnings: readonly Problem[];
  /** The optional packages that it needs. */
  readonly needed: readonly Need[];
}

/** The configuration directory: GATEWAY_CONFIG_DIR, else the working directory. @throws ConfigurationError */
export function configurationDirectory(env: Environment, cwd: string): string {
  const dir = resolve(cwd, env['GATEWAY_CONFIG_DIR'] ?? '');
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true) return dir;
  const message = `names no directory (${dir}); create it or correct the variable`;
  throw new ConfigurationError([{ key: 'GATEWAY_CONFIG_DIR', message }]);
}

/**
 * Reads and checks everything; tokens that nobody gave are generated once nothing is wrong.
 * @throws ConfigurationError with every problem.
 */
export async function loadConfiguration(
  dir: string,
  processEnv: Environment,
  files: ConfigurationFiles = readConfigurationFiles(dir),
): Promise<Configuration> {
  const inspection = await inspectConfiguration(dir, processEnv, files, (file) =>
    file.readOrCreate(),
  );
  const { resolved, problems, isDemo } = inspection;
  if (resolved === undefined || problems.length > 0) throw new ConfigurationError(problems);
  const { operatorTokenFile, gateway, store, channels, ops, operatorAddress } = resolved;
  const operatorToken = gateway.auth.token?.trim() ?? operatorTokenFile.readOrCreate();
  const ownTokens = [operatorToken, resolved.hooks.token?.trim() ?? ''].filter(
    (token) => token !== '',
  );
  return {
    dir,
    isDemo,
    gateway,
    operatorToken,
    operatorTokenFile: gateway.auth.token === undefined ? operatorTokenFile.path : undefined,
    hookTokenFile: isDemo ? inspection.demoHookToken.path : undefined,
    store,
    channels,
    ops,
    operatorAddress,
    hooks: { ...resolved.hooks, gatewayAuthToken: operatorToken },
    mail: resolved.mail,
    env: inspection.env,
    files,
    sections: inspection.sections,
    written: inspection.written,
    place: (problem) => inspection.merged.place(problem),
    warnings: [...inspection.ownWarnings, ...modeWarnings(dir, files, store.dir, ownTokens)],
    needed: inspection.needed,
  };
}

/** What may differ between services that share a ledger: where each of them listens and keeps its files. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  gateway: ['host', 'port', 'shutdownSeconds'],
  ops: ['listen', 'hosts'],
  store: ['dir', 'postgres'],
};

const LENGTH = 12;

/** Names a configuration among those of services that share a ledger; nothing of it can be read from it. */
export function configurationDigest(sections: Sections): string {
  const shared = Object.entries(sections).map(([name, section]) => {
    const own = OWN[name] ?? [];
    if (!isRecord(section)) return [name, section];
    return [
      name,
      Object.fromEntries(Object.entries(section).filter(([key]) => !own.includes(key))),
    ];
  });
  const text = JSON.stringify(inOrder(Object.fromEntries(shared)));
  return hash('sha256', text).slice(0, LENGTH);
}

/** Files may name the same keys in another order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, inOrder(inner)]));
}
