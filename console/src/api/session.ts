import { signal } from '@preact/signals';
import type { components } from '../../../docs/openapi.d.ts';

/** Who is logged in, if anybody. The session itself is a cookie that no script can read. */
export type Session =
  { state: 'asking' } | { state: 'in'; as: components['schemas']['LoggedIn'] } | { state: 'out' };

/** The service gave no answer to what was asked last. */
export const away = signal(false);

/** What the shell shows: the views, or the log-in. */
export const session = signal<Session>({ state: 'asking' });

/** Whether an application has this console within itself: then there is no command `hooks`. */
export const isEmbedded = signal(false);
