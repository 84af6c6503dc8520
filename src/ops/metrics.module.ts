import { Module } from '@nestjs/common';
import { HookMetrics } from './hook-metrics.ts';

/** Apart from {@link OpsModule}, because the hooks module needs the observer and the operator API needs the hooks. */
@Module({ providers: [HookMetrics], exports: [HookMetrics] })
export class MetricsModule {}
