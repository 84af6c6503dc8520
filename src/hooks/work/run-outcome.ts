import type { RunOrder, RunUpdate } from '../ports/index.ts';
import { summaryOf } from './summary.ts';
import type { TurnResult } from './turn.ts';

/** How a run ended, when it is not begun again. */
export type Ended =
  | Extract<TurnResult, { outcome: 'replied' | 'failed' | 'timed-out' }>
  | { readonly outcome: 'crashed'; readonly error: string };

/** What the main session is told of it. */
export function summaryFor({ name }: RunOrder, result: Ended): string {
  if (result.outcome === 'replied') return summaryOf(name, 'reply', result.reply.text);
  return summaryOf(name, result.outcome === 'timed-out' ? 'timeout' : 'error', result.error);
}

/** Whoever sent the hook, what an agent made of foreign text is foreign text. */
export function summaryTrust({ trust: { mapping } }: RunOrder): RunOrder['trust'] {
  return { level: 'untrusted', verifiedBy: 'none', mapping };
}

/** What the story of the run is told of it. */
export function outcomeFields(result: Ended): Partial<RunUpdate> {
  if (result.outcome === 'crashed') return { status: 'interrupted', error: result.error };
  if (result.outcome !== 'replied') return { status: result.outcome, error: result.error };
  const { text, model } = result.reply;
  return { status: 'succeeded', reply: text, error: null, model };
}
