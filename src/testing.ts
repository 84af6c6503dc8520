/**
 * What e2e tests of a host need: a ledger in memory, signed requests, `settled(app)`, a clock that moves on demand, and
 * a runner and a channel that record what they get.
 */
import './platform/required-node.ts';
export { memoryLedger } from './ledger/sqlite/index.ts';
export { MovableClock } from './testing/movable-clock.ts';
export { RecordingChannel, RecordingRunner } from './testing/recorders.ts';
export { settled } from './testing/settled.ts';
export { signed } from './testing/signed.ts';
export type { SignedRequest } from './testing/signed.ts';
