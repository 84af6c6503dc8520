// What stands behind the module and can be replaced. Erasable TypeScript without decorators: threads of the ledger load
// single files of it as they are.
export * from './activity.ts';
export * from './agent-directory.ts';
export * from './agent-runner.ts';
export * from './audit.ts';
export * from './budgets.ts';
export * from './change.ts';
export * from './channel.ts';
export * from './clock.ts';
export * from './collecting.ts';
export * from './console-sessions.ts';
export * from './event-status.ts';
export * from './event-store.ts';
export * from './event.ts';
export * from './hook-use.ts';
export * from './jobs.ts';
export * from './ledger-admin.ts';
export * from './ledger.ts';
export * from './recipients.ts';
export * from './refusals.ts';
export * from './run-ends.ts';
export * from './rounds.ts';
export * from './rules.ts';
export * from './trust.ts';
export * from './usage.ts';
export * from './wait.ts';
export * from './work-ledger.ts';
