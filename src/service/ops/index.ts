export {
  askedHost,
  bareName,
  isAllowedHost,
  isByOperatorListener,
  isLocal,
  noteArrivals,
} from './access/arrival.ts';
export { Metrics, MetricsModule, metricsOf } from './metrics.ts';
export { AddressGuard } from './access/operator.guard.ts';
export { leaveBodiesUnread, wantsBody } from './operator-input.ts';
export type { ConfigurationState, MailStatus, OpsModuleOptions } from './ops-options.ts';
export { OpsModule } from './ops.module.ts';
