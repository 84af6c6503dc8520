import { Module } from '@nestjs/common';
import { HookMetrics } from './hook-metrics.ts';
import { TokenMetrics } from './token-metrics.ts';

/** Apart from {@link OpsModule}, because the hooks module needs the observers and the operator API needs the hooks. */
@Module({ providers: [HookMetrics, TokenMetrics], exports: [HookMetrics, TokenMetrics] })
export class MetricsModule {}
