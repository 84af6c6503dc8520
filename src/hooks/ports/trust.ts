/** Where a text came from, and how sure we are of it. Decided once, when the request is read; never inferred from text. */
export interface Trust {
  /** `untrusted`: came over HTTP (put between markers before an agent sees it). `trusted`: the operator vouches for the hook. */
  readonly level: 'untrusted' | 'trusted';
  /** How the sender was verified, e.g. `token`; `none` for text that no sender wrote (a run's summary). */
  readonly verifiedBy: string;
  /** Id of the mapping that made the action; absent for the built-in wake and agent hooks. */
  readonly mapping?: string;
}

/** Whose events a rule takes together: those of one sender, as it was verified, or of all that the mapping takes. */
export type RuleScope = 'sender' | 'mapping';

/** The sender whose events a rule takes by themselves; null: it takes those of all together. */
export function senderApart(scope: RuleScope, verifiedBy: string): string | null {
  return scope === 'sender' ? verifiedBy : null;
}
