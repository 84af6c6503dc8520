/**
 * What e2e tests of a host need: a ledger in memory, requests as senders sign them, `settled(app)`, a clock that one
 * moves, and a runner and a channel that keep what they are asked for.
 */
import './platform/required-node.ts';
export { memoryLedger } from './ledger/sqlite/index.ts';
export { MovableClock } from './testing/movable-clock.ts';
export { RecordingChannel, RecordingRunner } from './testing/recorders.ts';
export { settled } from './testing/settled.ts';
export { signed } from './testing/signed.ts';
export type { SignedRequest } from './testing/signed.ts';
