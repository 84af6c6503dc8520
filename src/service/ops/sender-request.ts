import { Inject, Injectable, Logger } from '@nestjs/common';
import { Clock, HooksSettings, OperatorRequests, tokenFor } from '../../hooks/index.ts';
import type { PostedAnswer } from '../../hooks/index.ts';
import { isCredential } from '../../platform/credentials.ts';
import { newId } from '../../platform/new-id.ts';
import { Refusal } from '../refusals.ts';
import { contentTypeOf, findRule } from '../senders/sender.ts';
import { CannotSign, asNew, signPost } from '../senders/signed-post.ts';
import type { HookPost } from '../senders/signed-post.ts';
import type { SignedRequest } from './answers.ts';
import { OPS_OPTIONS } from './ops-options.ts';
import type { OpsModuleOptions } from './ops-options.ts';
import type { RequestBody } from './operator-input.ts';

/** Stands for an address that nobody told; whoever signs an address has `hooks.publicUrl`. */
const SOMEWHERE = 'http://localhost';

/** Headers of a connection, or of the proof that is made here. */
const OF_CONNECTIONS =
  /^(?:host|connection|keep-alive|content-length|content-encoding|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|x-forwarded-.*|forwarded|via|x-real-ip)$/;

/**
 * Requests of the operator's own as their senders would make them. What proves the sender stays in this process, but
 * for signatures, which prove one request.
 */
@Injectable()
export class SenderRequest {
  readonly #logger = new Logger('Operator');

  constructor(
    private readonly settings: HooksSettings,
    private readonly requests: OperatorRequests,
    private readonly clock: Clock,
    @Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions,
  ) {}

  /**
   * As an event of its own, unless its headers have an idempotency key.
   * @throws Refusal 409 where nobody but the sender can prove it
   */
  async send(request: RequestBody): Promise<PostedAnswer> {
    const settings = this.settings.current;
    const post = this.#sign(asEventOfItsOwn(toPost(request, this.#rule(request))), true);
    const token = post.isSigned === true ? undefined : tokenFor(settings.hooks, post.name);
    if (post.isSigned !== true && token === undefined) throw new Refusal('no_token_kept');
    const headers =
      token === undefined ? post.headers : { ...post.headers, authorization: `Bearer ${token}` };
    const how = token === undefined ? 'signed' : 'with a token';
    this.#logger.log({
      msg: `the operator sends in the name of a sender, ${how}`,
      hook: post.name,
    });
    return this.requests.post({ ...post, headers });
  }

  /** Signed, for somebody else to send. @throws Refusal 409 where there is nothing to sign, or nobody here can */
  sign(request: RequestBody): SignedRequest {
    const rule = this.#rule(request);
    const before = toPost(request, rule);
    const { name, headers, query, body, isSigned } = this.#sign(before, false);
    if (isSigned !== true || rule?.signer === undefined) throw new Refusal('nothing_to_sign');
    const { signer } = rule;
    const search = String(new URLSearchParams(query));
    const path = `${this.options.hooksPath}/${name}${search === '' ? '' : `?${search}`}`;
    const base = this.#base;
    return {
      url: base === undefined ? null : `${base}${path}`,
      path,
      headers,
      body: body.toString(),
      signer: signer.verifier.scheme.name,
      signedBy: Object.keys(headers).filter((header) => rule.secretHeaders.includes(header)),
      validSeconds: signer.toleranceSeconds ?? null,
    };
  }

  #rule({ hook }: RequestBody): ReturnType<typeof findRule> {
    return findRule(hook, this.settings.current);
  }

  get #base(): string | undefined {
    const base = this.settings.current.hooks.publicUrl ?? this.options.hooksOrigin;
    return base?.replace(/\/+$/, '');
  }

  #sign(post: HookPost, maySecretLeave: boolean): HookPost {
    const address = `${this.#base ?? SOMEWHERE}${this.options.hooksPath}`;
    const settings = this.settings.current;
    try {
      return signPost(post, { settings, address, maySecretLeave, now: this.clock.now() });
    } catch (error) {
      if (!(error instanceof CannotSign)) throw error;
      if (error.why === 'unfit')
        throw new Refusal('invalid_body', `it cannot be signed: ${error.message}`);
      throw new Refusal(error.why === 'only-sender' ? 'cannot_sign' : 'nothing_to_sign');
    }
  }
}

/** The bytes that are signed. Credentials that came along are left out: the proof is made anew. */
function toPost(
  { hook, payload, headers = {}, query = {} }: RequestBody,
  rule: ReturnType<typeof findRule>,
): HookPost {
  const isText = typeof payload === 'string' && rule !== undefined && rule.body !== 'json';
  const text = isText ? payload : JSON.stringify(payload);
  const kept = Object.entries(headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .filter(([name]) => !OF_CONNECTIONS.test(name) && !isCredential(name))
    .filter(([name]) => rule?.secretHeaders.includes(name) !== true);
  const parameters = Object.entries(query).filter(([name]) => !isCredential(name));
  const type = isText ? contentTypeOf(rule) : 'application/json';
  return {
    name: hook,
    headers: { 'content-type': type, ...Object.fromEntries(kept) },
    query: Object.fromEntries(parameters),
    body: Buffer.from(text),
  };
}

/** Where the sender signs nothing else, the same body would be the same delivery, too. */
function asEventOfItsOwn(post: HookPost): HookPost {
  if (post.headers['idempotency-key'] !== undefined) return post;
  const { headers, body } = post;
  return {
    ...post,
    headers: { ...headers, 'idempotency-key': newId() },
    body: Buffer.from(asNew(body.toString(), headers['content-type'])),
  };
}
