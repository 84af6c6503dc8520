import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { ActivityController } from './activity.controller.ts';
import { AttentionController } from './attention.controller.ts';
import { Attention } from './attention.ts';
import { ChannelsController } from './channels.controller.ts';
import { ServiceCondition } from './condition.ts';
import { EventsController } from './events.controller.ts';
import { HealthController } from './health.controller.ts';
import { HooksController } from './hooks.controller.ts';
import { IntakeController } from './intake.controller.ts';
import { MailController } from './mail.controller.ts';
import { MetricsController } from './metrics.controller.ts';
import { MetricsModule } from './metrics.ts';
import { OpenapiController } from './openapi.controller.ts';
import { OPS_OPTIONS } from './ops-options.ts';
import type { OpsModuleOptions } from './ops-options.ts';
import { PreviewController } from './preview.controller.ts';
import { RefusalsController } from './refusals.controller.ts';
import { RunsController } from './runs.controller.ts';
import { SamplesController } from './samples.controller.ts';
import { SecretWindowsController } from './secret-windows.controller.ts';
import { ConsoleLogins } from './console-logins.ts';
import { SessionController } from './session.controller.ts';
import { SessionsController } from './sessions.controller.ts';
import { StatusController } from './status.controller.ts';
import { TokenCheck } from './token-check.ts';
import { TrustedProxies } from './trusted-proxies.ts';

/**
 * The operator API, metrics and health of one hooks module. Each controller is one row: it checks its input, asks a
 * service that the hooks module exports, and throws a Refusal for everything else. All but health are behind
 * OperatorGuard.
 */
@Module({})
export class OpsModule {
  /** @param hooks the very module that the application imports, so that both mean one instance. */
  static forHooks(hooks: DynamicModule, options: OpsModuleOptions): DynamicModule {
    return {
      module: OpsModule,
      imports: [hooks, MetricsModule],
      controllers: [
        SessionController,
        StatusController,
        AttentionController,
        ActivityController,
        OpenapiController,
        EventsController,
        RunsController,
        RefusalsController,
        HooksController,
        SamplesController,
        PreviewController,
        SessionsController,
        ChannelsController,
        MailController,
        IntakeController,
        SecretWindowsController,
        MetricsController,
        HealthController,
      ],
      providers: [
        { provide: OPS_OPTIONS, useValue: options },
        TrustedProxies,
        TokenCheck,
        ConsoleLogins,
        ServiceCondition,
        Attention,
      ],
      exports: [OPS_OPTIONS],
    };
  }
}
