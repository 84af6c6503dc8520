import { withoutMarkerIds } from '../../hooks/index.ts';
import type { RecordedEvent } from '../../ledger/recorded-events.ts';
import type { Outcome } from './outcome.ts';

/** What events came to, added up. */
export interface Totals {
  accepted: number;
  skipped: number;
  refused: number;
  failed: number;
  /** A repeat of an earlier event. */
  repeats: number;
  /** Lines for main sessions. */
  wakes: number;
  /** That were asked for, those within a moment counted once; of all hooks together. */
  heartbeats: number;
  /** Turns of agents in runs. */
  runs: number;
  promptCharacters: number;
  /** As platforms would be sent them: a long reply is several. */
  messages: number;
  /** Of the runs whose answer is in the record. */
  tokens: number;
  /** Runs whose tokens nobody knows. */
  unknown: number;
}

export function noTotals(): Totals {
  return {
    accepted: 0,
    skipped: 0,
    refused: 0,
    failed: 0,
    repeats: 0,
    wakes: 0,
    heartbeats: 0,
    runs: 0,
    promptCharacters: 0,
    messages: 0,
    tokens: 0,
    unknown: 0,
  };
}

export function addOutcome(totals: Totals, { verdict, wakes, runs, messages }: Outcome): void {
  totals[verdict === 'repeat' ? 'repeats' : verdict] += 1;
  totals.wakes += wakes.length;
  totals.messages += messages.length;
  for (const { prompt, tokens } of runs.flatMap(({ turns }) => turns)) {
    addTurn(totals, prompt, tokens);
  }
}

/** As far as the record has it. */
export function addRecorded(totals: Totals, { runs, deliveries }: RecordedEvent): void {
  for (const { prompt, usage } of runs) {
    if (prompt === null) continue;
    const tokens = usage === null ? null : usage.inputTokens + usage.outputTokens;
    addTurn(totals, withoutMarkerIds(prompt), tokens);
  }
  totals.messages += deliveries.filter(
    (status) => status === 'delivered' || status === 'accepted',
  ).length;
}

function addTurn(totals: Totals, prompt: string, tokens: number | null): void {
  totals.runs += 1;
  totals.promptCharacters += prompt.length;
  if (tokens === null) totals.unknown += 1;
  else totals.tokens += tokens;
}
