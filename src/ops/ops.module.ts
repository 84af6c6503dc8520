import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { ChannelsController } from './channels.controller.ts';
import { ClientOrigin } from './client-origin.ts';
import { EventsController } from './events.controller.ts';
import { HealthController } from './health.controller.ts';
import { IntakeController } from './intake.controller.ts';
import { MailController } from './mail.controller.ts';
import { MailMetrics } from './mail-metrics.ts';
import { MetricsController } from './metrics.controller.ts';
import { MetricsModule } from './metrics.module.ts';
import { OPS_OPTIONS } from './ops-options.ts';
import type { OpsOptions } from './ops-options.ts';
import { PreviewController } from './preview.controller.ts';
import { ReplayController } from './replay.controller.ts';
import { SessionsController } from './sessions.controller.ts';
import { WorkMetrics } from './work-metrics.ts';

/** The operator API, metrics and health of one hooks module. */
@Module({})
export class OpsModule {
  /** @param hooks the very module that the application imports, so that both mean one instance. */
  static forHooks(hooks: DynamicModule, options: OpsOptions): DynamicModule {
    return {
      module: OpsModule,
      imports: [hooks, MetricsModule],
      controllers: [
        EventsController,
        ReplayController,
        PreviewController,
        SessionsController,
        ChannelsController,
        MailController,
        IntakeController,
        MetricsController,
        HealthController,
      ],
      providers: [
        { provide: OPS_OPTIONS, useValue: options },
        ClientOrigin,
        WorkMetrics,
        MailMetrics,
      ],
    };
  }
}
