import type { Clock, EventDetails, EventSummary } from '../../hooks/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { option, positiveNumber } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import type { Interruption } from '../terminal.ts';
import type { Receipt } from '../service/service-answers.ts';
import type { ServiceClient } from '../service/service-client.ts';
import { isPassing } from '../service/service-answers.ts';
import { Progress } from '../terminal.ts';
import { duration, paintFor } from '../text-layout.ts';
import { isBadDelivery, outcomeLines, replyLines } from './event-lines.ts';

const DEFAULT_WAIT_SECONDS = 900;

const FIRST_STEP_MS = 100;
const LONGEST_STEP_MS = 1000;

/** How long a service may be silent, e.g. while it restarts, before the wait is given up. */
const SILENCE_MS = 60_000;

export const SILENT = 'the service does not answer, waiting for it';

export const TIMEOUT_OPTION = option(
  '--timeout <seconds>',
  'longest wait for the end (default: 900)',
  positiveNumber('--timeout'),
);

export const WAIT_OPTIONS = [
  option('--wait', 'wait for the end and tell it'),
  TIMEOUT_OPTION,
] as const;

interface OutcomeOptions {
  readonly json?: boolean;
  /** False: only what the sender is answered. */
  readonly wait: boolean;
  /** Seconds. */
  readonly timeout?: number;
}

/** Shows what became of a request: what its sender is answered, or its end. @param service made with the interruption's signal. */
export async function showReceipt(
  context: CommandContext,
  service: ServiceClient,
  receipt: Receipt,
  options: OutcomeOptions,
  interruption: Interruption,
): Promise<void> {
  const { terminal } = context;
  const { eventId, status, failure } = receipt;
  const { json = false, wait } = options;
  if (failure !== undefined) terminal.exitCode = EXIT.failed;
  if (!json) for (const line of remarks(receipt)) terminal.note(line);
  if (eventId !== null && wait) {
    // A person who ends the wait, however rudely, knows what it was for.
    if (!json) {
      terminal.note(`Accepted as event ${asLine(eventId)}`);
      terminal.note(
        `It is stored and goes on, also after Ctrl-C: hooks events show ${asLine(eventId)}`,
      );
    }
    await showOutcome(context, service, eventId, options, { interruption, known: receipt });
  } else if (json) terminal.printJson(receipt);
  // The id alone, for `$(hooks send … --no-wait)`.
  else terminal.print(eventId === null ? `Nothing was to be done (${status}).` : asLine(eventId));
}

/** Waits for the end of an event and shows it; the exit code says whether it ended well. @param known what else belongs into the JSON. */
export async function showOutcome(
  context: CommandContext,
  service: ServiceClient,
  id: string,
  { json = false, timeout = DEFAULT_WAIT_SECONDS }: OutcomeOptions,
  { interruption, known }: { interruption: Interruption; known: object },
): Promise<void> {
  const { terminal, clock } = context;
  const event = await shownWait().catch((error: unknown) => {
    // A program that gave up waiting still learns which event it was.
    if (json) terminal.printJson({ ...known, story: null });
    if (!interruption.signal.aborted) throw error;
    const hint = `See how it stands: hooks events show ${id}`;
    throw new CliError('Interrupted; the event goes on.', hint, EXIT.interrupted);
  });
  if (endedBadly(event)) terminal.exitCode = EXIT.failed;
  if (json) return terminal.printJson({ ...known, story: event });
  const paint = paintFor(terminal);
  for (const line of [...outcomeLines(event, paint), ...replyLines(event, paint)]) {
    terminal.print(line);
  }
  for (const line of whereWakesAreAnswered(event)) terminal.note(line);

  async function shownWait(): Promise<EventDetails> {
    using progress = new Progress(terminal);
    const onProgress = (text: string): void => progress.show(text);
    const onRetry = (reason: string): void => {
      if (!json) terminal.note(`It failed and will be retried: ${asLine(reason)}`);
    };
    const wait = { timeoutMs: timeout * 1000, clock, onProgress, onRetry };
    return await waitForEnd(service, id, wait);
  }
}

export interface Wait {
  /** Milliseconds; what has not ended then goes on without being watched. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly onProgress: (text: string) => void;
  /** Called once, with the reason, when something has failed for the first time that is tried again by itself. */
  readonly onRetry?: (reason: string) => void;
}

/**
 * Restarts of the service are waited through. @throws CliError after the time; ServiceUnreachable; the signal's reason
 */
export async function waitForEnd(
  service: Pick<ServiceClient, 'event' | 'signal'>,
  id: string,
  { timeoutMs, clock, onProgress, onRetry }: Wait,
): Promise<EventDetails> {
  const began = clock.now();
  let isRetryTold = false;
  let lastAnswer = began;
  for (let step = FIRST_STEP_MS; ; step = Math.min(step * 1.5, LONGEST_STEP_MS)) {
    const event = await service.event(id).catch((error: unknown) => {
      if (!isPassing(error) || clock.now() - lastAnswer > SILENCE_MS) throw error;
      return null;
    });
    const took = clock.now() - began;
    if (event !== null) lastAnswer = clock.now();
    if (event !== null && hasEnded(event)) return event;
    const retry = event === null || isRetryTold ? undefined : retriedBecause(event);
    if (retry !== undefined) {
      isRetryTold = true;
      onRetry?.(retry);
    }
    if (took >= timeoutMs) {
      throw new CliError(
        `The event did not end within ${duration(timeoutMs)}; it goes on.`,
        `See how it stands: hooks events show ${id}`,
      );
    }
    onProgress(`${event === null ? SILENT : openParts(event)} · ${duration(took)}`);
    await clock.wait(Math.min(step, timeoutMs - took), service.signal);
    service.signal?.throwIfAborted();
  }
}

/** Why the first attempt of something that is under way did not end it. */
function retriedBecause({ runs, deliveries }: EventDetails): string | undefined {
  const attempts = [...runs.map(({ notes }) => notes), ...deliveries.map((one) => one.attempts)];
  return attempts.flat().find(({ outcome }) => outcome === 'retry')?.error;
}

/** Whether nothing of an event is under way any more; a retry may set it going again. */
export function hasEnded({ status }: Pick<EventSummary, 'status'>): boolean {
  return !['accepted', 'running', 'waiting', 'delivering'].includes(status);
}

/** Whether anything of it went wrong: the event, a run or a delivery. */
export function endedBadly({ status, runs, deliveries }: EventDetails): boolean {
  return (
    status === 'failed' ||
    runs.some((run) => /^(?:failed|timed-out|interrupted)$/.test(run.status)) ||
    deliveries.some(isBadDelivery)
  );
}

export function openParts({ status, runs, deliveries, heartbeat }: EventDetails): string {
  const open = [
    ...runs
      .filter((run) => ['queued', 'running', 'waiting'].includes(run.status))
      .map((run) => `run ${run.status} (agent ${run.agentId})${attempt(run.attempts)}`),
    ...deliveries
      .filter((delivery) => delivery.status === 'pending')
      .map(({ channel, attempts }) => `delivery to ${channel}${attempt(attempts.length + 1)}`),
    ...(heartbeat === 'requested' ? ['heartbeat requested'] : []),
  ];
  return open.length === 0 ? status : open.join(' · ');
}

function attempt(number: number): string {
  return number > 1 ? `, attempt ${number}` : '';
}

function remarks({ isRepeat, warnings, failure }: Receipt): string[] {
  const repeat = 'The same key came before: this is that event, nothing new was done.';
  return [
    ...(isRepeat ? [repeat] : []),
    ...warnings.map((warning) => `warning: ${asLine(warning)}`),
    ...(failure === undefined ? [] : [asLine(failure.error)]),
  ];
}

/** A wake's event does not hold what the agent said to it: that is in the main session. */
function whereWakesAreAnswered({ actions }: EventDetails): string[] {
  const agents = actions.filter(({ kind, mode }) => kind === 'wake' && mode === 'now');
  const ids = new Set(agents.map(({ agentId }) => String(agentId)));
  return [...ids].map((id) => `What the agent said: hooks sessions agent:${asLine(id)}:main`);
}
