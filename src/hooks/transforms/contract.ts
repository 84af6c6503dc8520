import type { ThinkingLevel } from '../ports/agent-directory.ts';

// Authors of transforms read this through `nestjs-agent-hooks/transform`, often without the package's other types in
// reach: this file imports nothing that imports more.

/** What a transform is given: plain data, a fresh copy for every call. Credential headers are left out. */
export interface TransformContext<P = unknown> {
  /** The body as it was parsed. */
  readonly payload: P;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** First value of each query parameter. */
  readonly query: Readonly<Record<string, string>>;
  /** The sub-path without outer slashes. */
  readonly path: string;
  /** When the request came, ISO 8601 in UTC. `Date` in a transform stands still at it. */
  readonly now: string;
  /** Under `forEach`: the item this call is about. */
  readonly item?: unknown;
  /** Under `forEach`: its place, from 0. */
  readonly index?: number;
}

/** Asks for a line in an agent's main session. Fields that are left out, or null, are as the mapping's templates make them. */
export interface TransformedWake {
  readonly kind?: 'wake';
  readonly text?: string | null;
  /** `now` asks for a heartbeat at once; else the line waits for the next one. */
  readonly mode?: 'now' | 'next-heartbeat' | null;
  readonly agentId?: string | null;
}

/** Asks for a run of an agent. Fields that are left out, or null, are as the mapping's templates make them. */
export interface TransformedRun {
  readonly kind?: 'agent';
  readonly message?: string | null;
  readonly name?: string | null;
  readonly agentId?: string | null;
  readonly wakeMode?: 'now' | 'next-heartbeat' | null;
  /** Must begin with the literal text that the mapping's own `sessionKey` begins with. */
  readonly sessionKey?: string | null;
  readonly deliver?: boolean | null;
  readonly channel?: 'last' | `chan_${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}` | null;
  readonly to?: string | null;
  readonly model?: string | null;
  readonly thinking?: ThinkingLevel | null;
  /** How long the run may take: over 0, at most 86,400. */
  readonly timeoutSeconds?: number | null;
  /** Key of the event that the run waits for before it begins; `waitFor.by` of the mapping says whose. */
  readonly waitFor?: string | null;
}

/** Asks for a message to a channel, as a mapping with `action: 'deliver'` makes them, and no other. */
export interface TransformedMessage {
  readonly kind?: 'deliver';
  readonly message?: string | null;
  readonly name?: string | null;
  readonly channel?: TransformedRun['channel'];
  readonly to?: string | null;
}

/** One action. Without `kind` it is of the mapping's own kind (`action`). */
export type TransformedAction = TransformedWake | TransformedRun | TransformedMessage;

/**
 * What a transform returns. `null`: nothing is to be done. `undefined`: the templates alone decide. An object: its
 * fields win over the templates. An array: several actions, at most 200 in one request.
 */
export type TransformResult = TransformedAction | readonly TransformedAction[] | null | undefined;

/** A transform: the default export of its module, `transform`, or what `transform.export` names. */
export type Transform<P = unknown> = (
  context: TransformContext<P>,
) => TransformResult | Promise<TransformResult>;
