import { signal } from '@preact/signals';

/** Whether somebody is logged in. The session itself is a cookie that no script can read. */
export type Session = { state: 'asking' } | { state: 'in' } | { state: 'out' };

/** The service gave no answer to what was asked last. */
export const away = signal(false);

/** What the shell shows: the views, or the log-in. */
export const session = signal<Session>({ state: 'asking' });
