import { signal } from '@preact/signals';

/** Whether somebody is logged in. The session itself is a cookie that no script can read. */
export type Session = { state: 'asking' } | { state: 'in' } | { state: 'out' };

/** What the shell shows: the views, or the log-in. */
export const session = signal<Session>({ state: 'asking' });

/** Whether an application has this console within itself: then there is no command `hooks`. */
export const isEmbedded = signal(false);
