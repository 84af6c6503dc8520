import type { Acceptance, IdempotencyKey } from '../../hooks/ports/intake.ts';
import type { Change, RunUpdate, SystemEventChange, WorkChange } from '../../hooks/ports/change.ts';
import type { EventStory } from '../../hooks/ports/stories.ts';
import type { NewWork } from '../../hooks/ports/new-work.ts';
import type { WorkPart } from '../../hooks/ports/work-ledger.ts';

/** A new event as it is stored: nested parts are JSON text already. */
export interface WireEvent {
  readonly id: string;
  readonly hook: string;
  readonly receivedAt: number;
  readonly mapping: string | null;
  readonly failure: string | null;
  readonly warnings: string;
  readonly request: string;
  readonly payload: string;
  readonly idempotency: IdempotencyKey | null;
  readonly actions: readonly WireAction[];
}

export interface WireAction {
  readonly receipt: string;
  readonly story: string;
  readonly dedupeKey: IdempotencyKey | null;
  readonly changes: readonly WireChange[];
}

export type WireSystemEvent = Omit<SystemEventChange, 'trust'> & { readonly trust: string };
export type WireWork = Omit<NewWork, 'order'> & { readonly order: string };
type Nested = 'contract' | 'usage' | 'warnings' | 'toolCalls' | 'note';
export type WireRunUpdate = Omit<RunUpdate, Nested> & { readonly [K in Nested]?: string };
export type WireChange =
  | Exclude<Change, SystemEventChange | WorkChange | RunUpdate>
  | WireSystemEvent
  | WireRunUpdate
  | { readonly type: 'work'; readonly work: WireWork };

/** `kept`: places of the actions that were stored; absent: all. `receipt`: JSON text of the first one. */
export type WireAcceptance =
  | { readonly outcome: 'accepted'; readonly kept?: readonly number[] }
  | { readonly outcome: 'replayed'; readonly receipt: string }
  | Exclude<Acceptance, { receipt: unknown }>;

export interface WireLease {
  readonly workId: number;
  readonly key: string;
  readonly kind: NewWork['kind'];
  readonly ref: string | null;
  readonly eventId: string | null;
  readonly attempt: number;
  readonly failures: number;
  readonly crashes: number;
  readonly interruptions: number;
  readonly mayHaveActed: boolean;
  readonly since: number;
  readonly order: string;
  readonly part?: WorkPart;
}

/** `nextDue`: when something will be claimable; null: not before a lane is rung. */
export interface WireClaim {
  readonly leases: readonly WireLease[];
  readonly nextDue: number | null;
}

export type WireStory = Omit<EventStory, 'request' | 'console'> & {
  readonly request: string;
  readonly payload: string | null;
};
