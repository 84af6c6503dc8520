export * from './hook-metrics.ts';
export type { MailStatus } from './mail-status.ts';
export * from './metrics.module.ts';
export * from './ops-options.ts';
export * from './ops.module.ts';
export * from './refusal.ts';
export { wantsBody } from './operator-body.ts';
export * from './token-metrics.ts';
