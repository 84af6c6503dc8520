/** Every {@link EventStatus}, in the order in which an event may have them. */
export const EVENT_STATUSES = [
  'accepted',
  'running',
  'waiting',
  'delivering',
  'done',
  'failed',
  'skipped',
] as const;

/**
 * How an event stands as a whole: `running` once any of its work was begun; `waiting` while all that is left of it waits for a
 * person's decision; `delivering` once its runs have ended and a reply is still on its way; when all of it has ended `done`, or `failed` where any of it ended badly; `skipped` when
 * nothing was to be done.
 */
export type EventStatus = (typeof EVENT_STATUSES)[number];
