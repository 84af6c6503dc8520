import type { IncomingMessage } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import { getField } from '../../platform/objects.ts';
import { Clock } from '../ports/index.ts';
import { Rejection } from '../ports/rejection.ts';
import type { Handshake } from '../senders/index.ts';
import { presentedToken } from './auth/presented-token.ts';
import { BodyReader } from './body.ts';
import { parseJson } from './parse-json.ts';
import { assertVerifyToken, isAsked, makeAnswer } from './handshake-answer.ts';
import type { HookAnswer, HookCall } from './hook-call.ts';
import { tokenHeaderOf } from './path-rules.ts';
import type { PathRule } from './path-rules.ts';
import type { PathSigner } from './path-signer.ts';
import { SecretWindows } from './secret-windows.ts';

// A question never becomes an event, and its answer holds nothing but what came in (Zoom: an HMAC of that).

const EMPTY = Buffer.alloc(0);

/** Largest body in which a secret is looked for, in bytes: that of Notion has about 80. */
const LARGEST_OFFER = 4096;

/** How often questions that nobody signed are told of a path, in milliseconds: strangers may ask as they like. */
const TELL_EVERY_MS = 60_000;

type QuestionHead = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

@Injectable()
export class Handshakes {
  readonly #logger = new Logger('Hooks');
  readonly #told = new Map<string, { readonly at: number; count: number }>();

  constructor(
    private readonly windows: SecretWindows,
    private readonly body: BodyReader,
    private readonly clock: Clock,
  ) {}

  /**
   * GET of Meta and Strava, HEAD of Trello, OPTIONS of CloudEvents, POST of Microsoft Graph. Null: none of them.
   * @throws Rejection invalid_signature for a wrong `verifyToken`, invalid_payload for an echo that is too long
   */
  answerHead({ scheme, signer, path }: PathRule, head: QuestionHead): HookAnswer | null {
    if (scheme?.handshakes === undefined) return null;
    // A sender that signs is answered where it has to: without its secret, nobody has set the hook up.
    if (signer === undefined && scheme.proofs.length > 0) return null;
    for (const handshake of scheme.handshakes) {
      if (handshake.from !== 'anybody' || !isAsked(handshake, head)) continue;
      const parameter = handshake.when.verifyToken;
      if (parameter !== undefined) {
        if (signer?.verifyToken === undefined) continue;
        assertVerifyToken(head, parameter, signer.verifyToken);
      }
      const answer = makeAnswer(handshake, head, undefined);
      this.#tellUnsigned(path);
      return answer;
    }
    return null;
  }

  /** Slack's, Zoom's and Discord's; null: none of them. @throws Rejection invalid_payload where none can be answered */
  async answerBody({ scheme, signer, path }: PathRule, call: HookCall): Promise<HookAnswer | null> {
    const { method, url, headers } = call.raw;
    const question = { method, url, headers, payload: call.content?.value };
    const handshake = scheme?.handshakes?.find(
      (one) => one.from === 'verified' && isAsked(one, question),
    );
    if (handshake === undefined) return null;
    const { hmac } = handshake.answer;
    const secret = hmac === undefined ? undefined : await findSecret(signer, call);
    const answer = makeAnswer(handshake, question, secret);
    this.#tell(path);
    return answer;
  }

  /** A secret that nothing proves (Asana, Notion): taken only while a window is open for the path. Null: none came. */
  takeSecret(call: HookCall): HookAnswer | null | Promise<HookAnswer | null> {
    const { raw, name, rule, client } = call;
    if (this.windows.isEmpty || raw.method !== 'POST') return null;
    // Whoever presents a token is judged by that, and the body is still to be read then.
    if (presentedToken(raw.headers, tokenHeaderOf(call)) !== null) return null;
    const awaited = this.windows.awaited(name, rule);
    if (awaited === undefined) return null;
    const { at, handshake } = awaited;
    if ('field' in at) return this.#takeFromBody(at.field, handshake, call);
    if (!this.windows.take(name, raw.headers[at.header], client)) return null;
    return makeAnswer(handshake, raw, undefined);
  }

  /** A body of which the length is not announced, or is too long, is not read here. */
  async #takeFromBody(
    field: string,
    handshake: Handshake,
    call: HookCall,
  ): Promise<HookAnswer | null> {
    const { raw, name, settings, client, payload } = call;
    const announced = Number(raw.headers['content-length'] ?? 0);
    if (!(announced > 0 && announced <= LARGEST_OFFER)) return null;
    const { bodyTimeoutSeconds } = settings.hooks;
    const limits = { maxBodyBytes: LARGEST_OFFER, bodyTimeoutSeconds };
    const bytes = await this.body.read(raw, payload, limits);
    if (!this.windows.take(name, readField(bytes, field), client)) return null;
    return makeAnswer(handshake, raw, undefined);
  }

  #tellUnsigned(path: string): void {
    const now = this.clock.elapsed();
    const told = this.#told.get(path);
    if (told !== undefined && now - told.at < TELL_EVERY_MS) {
      told.count += 1;
      return;
    }
    this.#told.set(path, { at: now, count: 0 });
    this.#tell(path, told?.count);
  }

  #tell(path: string, untold = 0): void {
    const others = untold === 0 ? '' : ` (and ${untold} more since the last such line)`;
    this.#logger.log(
      `answered the handshake of the sender to ${path}; it is not stored as an event${others}`,
    );
  }
}

/** The one of the path's secrets that a request is signed with; undefined: none, it was let in by its token. */
async function findSecret(
  signer: PathSigner | undefined,
  { raw, bytes: body = EMPTY, receivedAt }: HookCall,
): Promise<string | undefined> {
  const { method = '', url = '', headers } = raw;
  for (const [index, verifier] of (signer?.single() ?? []).entries()) {
    const found = await verifier.verify({ method, url, headers, body }, receivedAt);
    if (typeof found !== 'string') return signer?.secrets[index]?.text;
  }
  return undefined;
}

/** Undefined for whatever is no JSON object with that field. */
function readField(bytes: Buffer, field: string): unknown {
  try {
    return getField(parseJson(bytes).value, ...field.split('.'));
  } catch (error) {
    if (error instanceof Rejection) return undefined;
    throw error;
  }
}
