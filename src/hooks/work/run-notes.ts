import { Injectable } from '@nestjs/common';
import { EventStore } from '../ports/index.ts';
import type { AttemptNote, Change, DeliveryJob, RunStatus } from '../ports/index.ts';

/** How long a note is tried again: what it says is of interest now, and answers wait behind it. */
export const NOTE_RETRY_MS = 60_000;

const OPEN: readonly RunStatus[] = ['queued', 'running', 'waiting'];

/**
 * The notes of runs (ports/run-note.ts). What the first words were sent as stands in the ledger before anything follows, so
 * that a run has one note, whatever stops or crashes in between. Nobody learns that one could not be sent.
 */
@Injectable()
export class RunNotes {
  constructor(private readonly events: EventStore) {}

  /**
   * What a delivery about a note is by now: the message that it takes the place of, where there is one; null: nothing is
   * to be said any more.
   */
  async ready(job: DeliveryJob): Promise<{ job: DeliveryJob; replaces?: string } | null> {
    const { note, runId, channel, to } = job;
    const story = await this.events.run(runId ?? '');
    const isAnswer = note?.says === undefined;
    const sent = story?.deliveries.find(({ id }) => id === note?.id);
    if (sent === undefined) {
      const isLate =
        story === null || (note?.says === 'working' && !OPEN.includes(story.run.status));
      return isLate && !isAnswer ? null : { job };
    }
    const { messageId } = sent;
    if (messageId !== null && sent.channel === channel && sent.to === to) {
      return { job, replaces: messageId };
    }
    return isAnswer ? { job } : null;
  }
}

/** That a note says something now: its delivery begins with the first words. @param replaces absent: these are they */
export function noteSaid(
  job: DeliveryJob,
  messageId: string | undefined,
  replaces: string | undefined,
  attempt: AttemptNote,
): readonly Change[] {
  const { deliveryId: id, eventId, runId, channel, to } = job;
  if (replaces !== undefined || eventId === null) return [];
  return [
    { type: 'delivery', id, eventId, runId, channel, to, status: 'delivered' },
    { type: 'delivery-update', id, messageId, attempt },
  ];
}

/** That the answer stands in the place of its run's note. */
export function noteReplaced(
  { note }: DeliveryJob,
  replaces: string | undefined,
): readonly Change[] {
  if (note === undefined || replaces === undefined) return [];
  const error = 'the reply took the place of this note';
  return [{ type: 'delivery-update', id: note.id, status: 'skipped', error }];
}
