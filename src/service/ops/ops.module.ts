// The operator's side as one Nest module. A controller is one row here and one file in controllers/.
import { Module } from '@nestjs/common';
import type { DynamicModule, Type } from '@nestjs/common';
import { HooksSettings } from '../../hooks/index.ts';
import { ActivityController } from './controllers/activity.controller.ts';
import { AttentionController } from './controllers/attention.controller.ts';
import { Attention } from './attention.ts';
import { AuditController } from './controllers/audit.controller.ts';
import { AuditTrail } from '../audit-trail.ts';
import { ChannelsController } from './controllers/channels.controller.ts';
import { ServiceCondition } from './condition.ts';
import { ConfigurationController } from './controllers/configuration.controller.ts';
import { EventStreamController } from './controllers/event-stream.controller.ts';
import { EventStreams, RefusalFeed } from './event-streams.ts';
import { EventsController } from './controllers/events.controller.ts';
import { ForgetController } from './controllers/forget.controller.ts';
import { HealthController } from './controllers/health.controller.ts';
import { HooksController } from './controllers/hooks.controller.ts';
import { IntakeController } from './controllers/intake.controller.ts';
import { MailController } from './controllers/mail.controller.ts';
import { MappingsController } from './controllers/mappings.controller.ts';
import { MetricsController } from './controllers/metrics.controller.ts';
import { Metrics, MetricsModule } from './metrics.ts';
import { OpenapiController } from './controllers/openapi.controller.ts';
import { OperatorGuard } from './access/operator.guard.ts';
import { OPS_OPTIONS } from './ops-options.ts';
import type { OpsModuleOptions } from './ops-options.ts';
import { PresetsController } from './controllers/presets.controller.ts';
import { PreviewController } from './controllers/preview.controller.ts';
import { ReadinessCheck } from './readiness-check.ts';
import { RefusalsController } from './controllers/refusals.controller.ts';
import { RunsController } from './controllers/runs.controller.ts';
import { SamplesController } from './controllers/samples.controller.ts';
import { SecretWindowsController } from './controllers/secret-windows.controller.ts';
import { ConsoleLogins } from './access/console-logins.ts';
import { SessionController } from './controllers/session.controller.ts';
import { SessionsController } from './controllers/sessions.controller.ts';
import { SenderRequest } from './sender-request.ts';
import { SendController } from './controllers/send.controller.ts';
import { TokensController } from './controllers/tokens.controller.ts';
import { WaitsController } from './controllers/waits.controller.ts';
import { StatusController } from './controllers/status.controller.ts';
import { UsageController } from './controllers/usage.controller.ts';
import { TokenCheck } from './access/token-check.ts';
import { TrustedProxies } from './access/trusted-proxies.ts';

/** The operator API. */
const OPERATOR_API = [
  SessionController,
  StatusController,
  AttentionController,
  ActivityController,
  EventStreamController,
  EventsController,
  ForgetController,
  RunsController,
  RefusalsController,
  HooksController,
  SendController,
  TokensController,
  ConfigurationController,
  AuditController,
  UsageController,
  SamplesController,
  PreviewController,
  MappingsController,
  PresetsController,
  SessionsController,
  WaitsController,
  ChannelsController,
  MailController,
  IntakeController,
  SecretWindowsController,
];

/** What tells of the whole process, and so is of the standalone service; an application asks for its metrics. */
const OF_THE_SERVICE = [OpenapiController, MetricsController, HealthController];

const PROVIDERS = [
  TrustedProxies,
  TokenCheck,
  ConsoleLogins,
  ServiceCondition,
  ReadinessCheck,
  Attention,
  OperatorGuard,
  AuditTrail,
  EventStreams,
  RefusalFeed,
  SenderRequest,
];

export interface OpsOptionsFactory {
  readonly inject: [typeof HooksSettings];
  readonly useFactory: (settings: HooksSettings) => OpsModuleOptions;
}

/** The operator API, metrics and health of one hooks module. All but health are behind a guard of access/. */
@Module({})
export class OpsModule {
  /** @param hooks the very module that the application imports, so that both mean one instance. */
  static forHooks(hooks: DynamicModule, options: OpsModuleOptions): DynamicModule {
    return {
      module: OpsModule,
      imports: [hooks, MetricsModule],
      controllers: [...OPERATOR_API, ...OF_THE_SERVICE],
      providers: [{ provide: OPS_OPTIONS, useValue: options }, ...PROVIDERS],
      exports: [OPS_OPTIONS],
    };
  }

  /**
   * The operator API within somebody else's application.
   * @param embed makes the controllers fit for it
   * @param metrics absent: none are served
   */
  static embedded(
    hooks: DynamicModule,
    options: OpsOptionsFactory,
    embed: (controller: Type<object>) => Type<object>,
    metrics?: Metrics,
  ): DynamicModule {
    const served = metrics === undefined ? OPERATOR_API : [...OPERATOR_API, MetricsController];
    return {
      module: OpsModule,
      imports: [hooks],
      controllers: served.map(embed),
      providers: [
        { provide: OPS_OPTIONS, ...options },
        { provide: Metrics, useValue: metrics },
        ...PROVIDERS,
      ],
      exports: [OPS_OPTIONS],
    };
  }
}
