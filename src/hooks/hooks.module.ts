import { Inject, Module } from '@nestjs/common';
import type {
  BeforeApplicationShutdown,
  OnApplicationBootstrap,
  OnApplicationShutdown,
  OnModuleDestroy,
  Provider,
} from '@nestjs/common';
import { ConfigurableModuleClass, GIVEN_OPTIONS } from './hooks.module-definition.ts';
import type { GivenOptions } from './hooks.module-definition.ts';
import { wired, wiring } from './hooks.wiring.ts';
import { AuthFailureThrottle } from './http/auth/auth-failure-throttle.ts';
import { HookAuthentication } from './http/auth/hook-authentication.ts';
import { HookTokenGuard } from './http/auth/hook-token.guard.ts';
import { TrustedProxies } from './http/auth/trusted-proxies.ts';
import { AnswerWriter } from './http/door/answer-writer.ts';
import { BodyReader } from './http/door/body-reader.ts';
import { HookDoor } from './http/door/hook-door.ts';
import { HookExceptionFilter } from './http/door/hook-exception.filter.ts';
import { HookReception } from './http/door/hook-reception.ts';
import { RequestLog } from './http/door/request-log.ts';
import { TransformSandbox } from './ingest/transform/transform-sandbox.ts';
import { pipelineProviders } from './pipeline.ts';
import { Upkeep } from './ports/index.ts';
import { HeartbeatSchedule } from './work/heartbeat-schedule.ts';
import { Retention } from './work/retention.ts';
import { WorkLoop } from './work/work-loop.ts';

const DEFAULT_SHUTDOWN_SECONDS = 20;

const doorProviders: Provider[] = [
  TrustedProxies,
  AuthFailureThrottle,
  HookAuthentication,
  HookTokenGuard,
  BodyReader,
  RequestLog,
  AnswerWriter,
  HookExceptionFilter,
  HookReception,
  HookDoor,
];

/**
 * The webhook ingress of an agent gateway, in any Nest application on Fastify, at its own prefix and with nothing
 * global. Import it more than once for several ingresses; each import has its own providers.
 * @example HooksModule.forRoot({ enabled: true, token, ledger: sqliteLedger({ dir: 'data' }), runner: demoRunner() })
 * @publicApi
 */
@Module({
  providers: [...wiring, ...doorProviders, ...pipelineProviders],
  exports: [...wired, ...doorProviders, ...pipelineProviders],
})
export class HooksModule
  extends ConfigurableModuleClass
  implements
    OnApplicationBootstrap,
    OnModuleDestroy,
    BeforeApplicationShutdown,
    OnApplicationShutdown
{
  constructor(
    @Inject(GIVEN_OPTIONS) private readonly options: GivenOptions,
    private readonly door: HookDoor,
    private readonly work: WorkLoop,
    private readonly heartbeats: HeartbeatSchedule,
    private readonly retention: Retention,
    private readonly upkeep: Upkeep,
    private readonly transforms: TransformSandbox,
  ) {
    super();
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.heartbeats.start();
    this.work.start();
    this.retention.start();
  }

  onModuleDestroy(): void {
    this.door.close();
  }

  /** While requests are still answered 503: runs get their time, the rest is left to the next start. */
  async beforeApplicationShutdown(): Promise<void> {
    const { shutdownSeconds = DEFAULT_SHUTDOWN_SECONDS } = this.options;
    await Promise.all([this.work.stop(shutdownSeconds * 1000), this.retention.stop()]);
  }

  /** Last, when no request is under way any more. */
  async onApplicationShutdown(): Promise<void> {
    await this.transforms.close();
    await this.upkeep.close();
  }
}
