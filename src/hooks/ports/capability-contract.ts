import type { ChannelId } from './channel.ts';
import type { Trust } from './trust.ts';

/** What one turn of an agent may do, decided by us before it begins and never by what it reads. */
export interface CapabilityContract {
  /** `untrusted`: the agent is shown text from outside. */
  readonly trust: Trust['level'];
  /** How the sender was verified, e.g. `token`; `none`: no sender spoke (a heartbeat). */
  readonly verifiedBy: string;
  /** Id of the mapping that made the run; absent for the built-in wake and agent hooks. */
  readonly mapping?: string;
  /** Names of the tools it may use, of those that the agent has; `all` of them only when nothing shown came from outside. */
  readonly allowedTools: readonly string[] | 'all';
  /** Where its reply may go; null: nowhere. */
  readonly mayDeliverTo: Destination | null;
}

/** A channel, and a recipient where one was named. */
export interface Destination {
  readonly channel: ChannelId | 'last';
  readonly to?: string;
}
