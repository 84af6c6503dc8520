/** The console, the operator API, the metrics and the health indicator of a `HooksModule`, for the application that imports it. */
import './platform/required-node.ts';
export { HooksConsoleModule } from './service/console/index.ts';
export { HooksMetrics } from './service/ops/hooks-metrics.ts';
export { HooksHealthIndicator } from './service/ops/health-indicator.ts';
export type { HooksHealth } from './service/ops/health-indicator.ts';
export type { Degradation } from './service/ops/degradation.ts';
export type { HooksConsoleOptions } from './service/console/index.ts';
