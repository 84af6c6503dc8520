// The note that says, where an event came from, how its run stands; the answer takes its place. It is a delivery of its
// own, which is there once its first words were sent. What follows edits that message, in the order of its recipient.
import type { WorkChange } from './change.ts';
import type { RunStanding } from './channel.ts';
import { deliveryWork } from './jobs.ts';
import type { DeliveryJob, RunJob } from './jobs.ts';

/** Strangers may read them: they tell nothing of how it is done, or why it is not. */
const WORDS: Readonly<Record<RunStanding, string>> = {
  working: 'Working on it…',
  waiting: 'This waits for the approval of a person.',
  failed: 'This could not be answered.',
  denied: 'This is not answered.',
  silent: 'There is nothing to add.',
};

/** Has the note of a run say how it stands; nothing where it has none. */
export function noteOf(
  run: RunJob,
  runId: string,
  says: RunStanding,
  at: number,
): readonly WorkChange[] {
  const { note, eventId, agentId, name, trust } = run;
  if (note === undefined) return [];
  const { id, channel, account, to } = note;
  const job: DeliveryJob = {
    v: 1,
    deliveryId: id,
    eventId,
    channel,
    to,
    text: WORDS[says],
    runId,
    agentId,
    becomesLastRoute: false,
    name,
    wakeMode: 'none',
    trust,
    note: { id, says },
  };
  return [{ type: 'work', work: deliveryWork(job, account, at) }];
}
