// docs/design/service.md
import { Module } from '@nestjs/common';
import type { DynamicModule, OnApplicationShutdown } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { join } from 'node:path';
import { agentRunner } from '../adapters/agents/index.ts';
import { sqliteLedger } from '../ledger/sqlite/index.ts';
import { GATEWAY_NAMES, HooksModule, normalizePrefix } from '../hooks/index.ts';
import type { AgentRunner, HooksModuleOptions, LedgerProvider } from '../hooks/index.ts';
import { WORKSPACES } from './configuration/agents-section.ts';
import type { Environment } from './configuration/environment.ts';
import { FragmentKeeper } from './configuration/fragment-keeper.ts';
import { listeningAddress } from './configuration/listen-address.ts';
import { findMissing } from './configuration/packages.ts';
import { reportConfiguration } from './configuration/report.ts';
import type { Configuration } from './configuration/load.ts';
import { ConfigurationReload, ENVIRONMENT, RunningConfiguration } from './configuration/reload.ts';
import { SavedMappings } from './configuration/saved-mappings.ts';
import { AuditTrail } from './audit-trail.ts';
import { ConsoleModule } from './console/index.ts';
import { PresetKeeper } from './senders/preset-keeper.ts';
import { TokenKeeper } from './senders/token-keeper.ts';
import { MailWatch } from './mail-watch.ts';
import type { SharedMail } from './mail-watch.ts';
import { readTokenUses } from './token-uses-file.ts';
import { TokenUses } from './token-uses.ts';
import { Metrics, MetricsModule, OpsModule } from './ops/index.ts';

/** The standalone service: the hooks, the operator API, and the configuration that is reloaded while they run. */
@Module({})
export class AppModule {
  /** @param waitForLock true: a data directory that another process uses is waited for */
  static async forConfiguration(
    configuration: Configuration,
    env: Environment,
    waitForLock = false,
  ): Promise<DynamicModule> {
    const running = new RunningConfiguration(configuration);
    const runner = agentRunner({
      models: () => ({ providers: running.providers }),
      env: () => running.env,
      workspaces: join(configuration.dir, WORKSPACES),
      isDemo: configuration.isDemo,
    });
    const { gateway, ops, hooks: given } = configuration;
    const { ledger, mail, failures } = await storeOf(running, waitForLock);
    const mailWatch = new MailWatch(configuration, undefined, mail);
    const hooks = HooksModule.forRootAsync({
      path: given.path,
      imports: [MetricsModule],
      inject: [Metrics],
      useFactory: (metrics: Metrics) => ({
        ...hooksOptions(running, metrics.counted(runner), metrics),
        ...(failures && { authFailures: { ...given.authFailures, storage: failures } }),
        ledger,
      }),
    });
    const fragments = new FragmentKeeper(running, env);
    const operatorApi = OpsModule.forHooks(hooks, {
      hooksPath: normalizePrefix(given.path ?? ''),
      hooksOrigin: gateway.port === 0 ? undefined : listeningAddress(gateway).origin,
      tokens: () => running.operatorTokens,
      tokenUses: () => readTokenUses(configuration.store.dir),
      tokenKeeper: new TokenKeeper(fragments),
      savedMappings: new SavedMappings(fragments),
      presetKeeper: new PresetKeeper(fragments),
      configurationReport: () => reportConfiguration(running, env),
      exposed: ops.exposed,
      trustedProxies: gateway.trustedProxies,
      mail: () => mailWatch.report(),
      configuration: () => ({
        isDemo: configuration.isDemo,
        isConfiguredSince: configuration.isDemo && !running.inForce.isDemo,
        ...running.unapplied,
        warnings: running.inForce.findings(),
        missing: findMissing(running.inForce.needed),
      }),
    });
    return {
      module: AppModule,
      imports: [hooks, operatorApi, ConsoleModule.forOps(operatorApi)],
      providers: [
        { provide: RunningConfiguration, useValue: running },
        { provide: MailWatch, useValue: mailWatch },
        { provide: RunnerDisposal, useValue: new RunnerDisposal(runner) },
        { provide: ENVIRONMENT, useValue: env },
        AuditTrail,
        ConfigurationReload,
        TokenUses,
      ],
    };
  }
}

/** Where the service keeps what outlives it. */
interface Store {
  readonly ledger: LedgerProvider;
  /** What services on one database share; absent: this one has its own, in files and in memory. */
  readonly mail?: SharedMail;
  readonly failures?: ThrottlerStorage;
}

async function storeOf(running: RunningConfiguration, waitForLock: boolean): Promise<Store> {
  const { dir, postgres, search, sqlite } = running.started.store;
  if (postgres === undefined) {
    return { ledger: sqliteLedger({ dir, search, waitForLock, host: sqlite.host }) };
  }
  // Whoever has no database does not pay for the code that speaks to one.
  const { HeldTexts, postgresLedger, postgresThrottlerStorage } =
    await import('../ledger/postgres/index.ts');
  const { url, schema, connections } = postgres;
  return {
    ledger: postgresLedger({ url, schema, connections, search }),
    mail: new HeldTexts(postgres),
    failures: postgresThrottlerStorage(postgres),
  };
}

/** Disposes the service's runner, and the programs it keeps, when no turn is under way any more. */
class RunnerDisposal implements OnApplicationShutdown {
  constructor(private readonly runner: AsyncDisposable) {}

  async onApplicationShutdown(): Promise<void> {
    await this.runner[Symbol.asyncDispose]();
  }
}

function hooksOptions(
  running: RunningConfiguration,
  runner: AgentRunner,
  observer: Metrics,
): Omit<HooksModuleOptions, 'ledger'> {
  const { hooks, gateway } = running.started;
  return {
    ...hooks,
    runner,
    channels: running.channels,
    observer,
    shutdownSeconds: gateway.shutdownSeconds,
    names: GATEWAY_NAMES,
  };
}
