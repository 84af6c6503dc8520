import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { join } from 'node:path';
import { agentRunner } from './adapters/agents/by-agent.ts';
import { sqliteLedger } from './adapters/ledger-sqlite/index.ts';
import { HooksModule } from './hooks/index.ts';
import type { AgentRunner, HooksModuleOptions } from './hooks/index.ts';
import { HookMetrics, MetricsModule, OpsModule, TokenMetrics } from './ops/index.ts';
import { WORKSPACES } from './standalone/agent-workspaces.ts';
import { ConfigurationReload, ENVIRONMENT } from './standalone/configuration-reload.ts';
import type { Configuration } from './standalone/configuration.ts';
import { MailWatch } from './standalone/mail-watch.ts';
import { RunnerEnd } from './standalone/runner-end.ts';
import { RunningConfiguration } from './standalone/running-configuration.ts';
import type { Environment } from './standalone/variables.ts';

/** The standalone service: the hooks, the operator API, and the configuration that is reloaded while they run. */
@Module({})
export class AppModule {
  static forConfiguration(configuration: Configuration, env: Environment): DynamicModule {
    const running = new RunningConfiguration(configuration);
    const runner = agentRunner({
      models: () => ({ providers: running.providers }),
      env: () => running.env,
      workspaces: join(configuration.dir, WORKSPACES),
    });
    const mailWatch = new MailWatch(configuration);
    const { gateway, ops, operatorToken, hooks: given } = configuration;
    const hooks = HooksModule.forRootAsync({
      path: given.path,
      imports: [MetricsModule],
      inject: [HookMetrics, TokenMetrics],
      useFactory: (observer: HookMetrics, tokens: TokenMetrics) =>
        hooksOptions(running, tokens.counted(runner), observer),
    });
    return {
      module: AppModule,
      imports: [
        hooks,
        OpsModule.forHooks(hooks, {
          token: operatorToken,
          exposed: ops.exposed,
          trustedProxies: gateway.trustedProxies,
          mail: () => mailWatch.report(),
        }),
      ],
      providers: [
        { provide: RunningConfiguration, useValue: running },
        { provide: MailWatch, useValue: mailWatch },
        { provide: RunnerEnd, useValue: new RunnerEnd(runner) },
        { provide: ENVIRONMENT, useValue: env },
        ConfigurationReload,
      ],
    };
  }
}

function hooksOptions(
  running: RunningConfiguration,
  runner: AgentRunner,
  observer: HookMetrics,
): HooksModuleOptions {
  const { hooks, store, channels, gateway } = running.started;
  return {
    ...hooks,
    ledger: sqliteLedger({ dir: store.dir }),
    runner,
    channels,
    observer,
    shutdownSeconds: gateway.shutdownSeconds,
  };
}
