import type { GuestCall, GuestOutcome } from './messages.ts';

/** A JavaScript engine for code that is not trusted. To use another one: implement this, and name it in `worker.ts`. */
export interface Engine {
  /** A new guest with the bundle of `call` loaded into it, or what loading it ended with. */
  open(call: GuestCall, code: string): Promise<Guest | GuestOutcome>;
}

/** One bundle in a machine of its own: called, then put back. */
export interface Guest {
  /** Calls the transform. The guest is dirty afterwards, whatever came of it. */
  run(call: GuestCall): GuestOutcome;
  /** Back to the moment after loading. @returns false when that cannot be done: the guest is to be thrown away. */
  reset(): boolean;
}

export function isGuest(opened: Guest | GuestOutcome): opened is Guest {
  return 'reset' in opened;
}
