import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { HookRequest } from '../actions/hook-request.ts';
import type { CompiledMapping } from '../mappings/mapping.ts';
import type { DeclinedRequest } from '../mappings/match.ts';
import type { ResolvedHooksOptions } from '../options/index.ts';
import type { KnownSender } from '../ports/rejection.ts';
import type { Packing } from './inflate.ts';
import type { ParsedJson } from './parse-json.ts';
import type { PathRule } from './path-rules.ts';
import type { PathSigner } from './path-signer.ts';
import type { RunCallback, RunQuestion } from './run-question.ts';

/** What is sent back: decided as data, written by the `AnswerWriter`. */
export interface HookAnswer {
  readonly status: number;
  /** Absent for 204. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Instead of `body`: plain text, which no browser takes for anything else. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly eventId?: string;
  /** Never sent. */
  readonly known?: KnownSender;
}

/** Used where a host replaced `HookGuard`, and vouches for whoever its own guard lets in. */
export const VERIFIED_BY_HOST = 'application guard';

/** What one request to a hook is known to be. Never changed: each step (`steps.ts`) returns a new one with what it learned. */
export interface HookCall {
  readonly raw: IncomingMessage;
  /** Sub-path under the prefix, as it came. */
  readonly name: string;
  /** The settings the request began with; a reload does not change them. */
  readonly settings: ResolvedHooksOptions;
  readonly client: string;
  /** Epoch milliseconds. Times that senders sign are compared with it. */
  readonly receivedAt: number;
  /** When it was received by `performance.now()`, for how long it took. */
  readonly began: number;
  readonly rule: PathRule | undefined;
  /** Present when a run is asked for, and no hook. */
  readonly question: RunQuestion | undefined;
  /** Present when an agent that runs elsewhere tells of its run. */
  readonly callback: RunCallback | undefined;
  /** The body as the host's plugins hand it on, unread. */
  readonly payload: Readable;
  /** `runs` or the id of the mapping that matched, for metrics; never a name from the URL. */
  readonly hook: string | undefined;
  /** Headers that tell of a body, while the host's parsers are not to see that there is one. */
  readonly hidden?: IncomingHttpHeaders;

  /** How the sender proved who it is; absent: nobody was let in. */
  readonly verifiedBy?: string;
  /** The sender has to sign, and this is what its body is verified with. */
  readonly signer?: PathSigner;
  /** What is signed: the body as it came, or unpacked where its scheme signs that. */
  readonly bytes?: Buffer;
  /** How those bytes are still packed. */
  readonly packing?: Packing | undefined;
  /** What they are unpacked to, once it is known who sent them. */
  readonly unpacked?: Buffer;
  readonly signature?: HookRequest['signature'];
  readonly content?: ParsedJson;
  readonly request?: HookRequest;
  readonly mapping?: CompiledMapping | DeclinedRequest;
}
