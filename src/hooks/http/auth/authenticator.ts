import type { IncomingHttpHeaders } from 'node:http';
import type { ResolvedHooksOptions } from '../../options/index.ts';

/** One way for a sender to prove who it is, by the request's head alone. */
export interface HookAuthenticator {
  /** Shown to agents and in stories as the way the sender was verified. */
  readonly name: string;
  verify(headers: IncomingHttpHeaders, settings: ResolvedHooksOptions): boolean;
}
