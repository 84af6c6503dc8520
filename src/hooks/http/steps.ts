import { Injectable } from '@nestjs/common';
import { builtInHook } from '../actions/hook-request.ts';
import { MappingService } from '../mappings/mapping-service.ts';
import { TapDoor } from '../ports/index.ts';
import { Rejection } from '../ports/rejection.ts';
import { HookAuthentication } from './auth/hook-authentication.ts';
import { presentedToken } from './auth/presented-token.ts';
import { SignatureCheck } from './auth/signature-check.ts';
import type { LateAnswer } from './answer-bodies.ts';
import { BodyReader, bodyLimits } from './body.ts';
import { assertContent, parseContent } from './content.ts';
import type { Taken } from './content.ts';
import { Handshakes } from './handshakes.ts';
import type { HookAnswer, HookCall } from './hook-call.ts';
import { packingOf } from './inflate.ts';
import { tokenHeaderOf } from './path-rules.ts';
import type { PathRule } from './path-rules.ts';
import { hasTokenInQuery, hideSecrets, signedBy, toHookRequest } from './request.ts';
import { RunCallbacks } from './run-callbacks.ts';
import { runIdIn } from './run-question.ts';

@Injectable()
export class IngressDeps {
  constructor(
    readonly authentication: HookAuthentication,
    readonly signatures: SignatureCheck,
    readonly handshakes: Handshakes,
    readonly body: BodyReader,
    readonly mappings: MappingService,
    readonly taps: TapDoor,
    readonly callbacks: RunCallbacks,
  ) {}
}

/** One check of a request: returns what is known after it, or the answer that ends it. @throws Rejection, ClientGone */
export type Step = (
  call: HookCall,
  deps: IngressDeps,
) => HookCall | HookAnswer | Promise<HookCall | HookAnswer>;

const EMPTY = Buffer.alloc(0);
const LATE: LateAnswer = { ok: true, skipped: true, reason: 'the run has ended' };

const TOKEN_IN_QUERY = new Rejection('token_in_query');
const NOT_POST = new Rejection('method_not_allowed', 'POST');
const NOT_OF_RUNS = new Rejection('method_not_allowed', 'GET, HEAD, POST');

/** `?token=` in the query: 400. */
const tokenInQuery: Step = (call) => {
  if (hasTokenInQuery(call.raw.url ?? '')) throw TOKEN_IN_QUERY;
  return call;
};

const handshakeByHead: Step = (call, { handshakes }) =>
  (call.rule && handshakes.answerHead(call.rule, call.raw)) ?? call;

/** Not POST: 405, unless it asks for a run. */
const onlyPost: Step = (call) => {
  if (call.raw.method === 'POST' || call.question !== undefined) return call;
  throw runIdIn(call.name) === undefined ? NOT_POST : NOT_OF_RUNS;
};

const secretByHandshake: Step = (call, { handshakes }) => {
  const looking = handshakes.takeSecret(call);
  return looking instanceof Promise ? looking.then((answer) => answer ?? call) : (looking ?? call);
};

/** 401 unless the head is that of a signed request; its signature is verified once the body is read. */
const signatureByHead: Step = (call, { signatures }) => {
  const { rule, question, callback, raw, client, receivedAt } = call;
  const signer = question === undefined && callback === undefined ? rule?.signer : undefined;
  if (rule === undefined || signer === undefined || presentsToken(call, rule)) return call;
  signatures.checkHead(raw, { verifier: signer.verifier, client, receivedAt });
  return { ...call, signer };
};

/** Else the token is missing or wrong: 401, or 429 while the client is locked. Of runs any token may ask, and their own may tell. */
const authenticate: Step = (call, { authentication, callbacks }) => {
  const { signer, question, callback, raw, client, settings, name } = call;
  if (signer !== undefined) return call;
  if (callback !== undefined) return callbacks.verify(call, callback);
  const tokenHeader = tokenHeaderOf(call);
  const asked =
    question === undefined ? { hook: name, tokenHeader } : { isQuestion: true, tokenHeader };
  const verifiedBy = authentication.verify(raw.headers, client, settings, asked);
  return typeof verifiedBy === 'string'
    ? { ...call, verifiedBy }
    : verifiedBy.then((scheme) => ({ ...call, verifiedBy: scheme }));
};

/** Nothing but slashes after the prefix: 404. */
const anyName: Step = (call) => {
  if (/^\/*$/.test(call.name)) throw new Rejection('unknown_hook');
  return call;
};

/** The body is none that the path takes: 415. It is too large, too slow, or there is no room for it: 413, 408, 503. */
const readBody: Step = async (call, { body, signatures }) => {
  const { raw, rule, payload, settings, signer, client } = call;
  assertContent(raw.headers, takenBy(call));
  const isTextSigned = signer?.verifier.scheme.signs === 'decoded';
  const packing = packingOf(raw.headers, isTextSigned);
  const limits = rule?.limits ?? bodyLimits(settings.hooks);
  const read = (): Promise<Buffer> => body.read(raw, payload, limits, signer === undefined);
  if (signer === undefined) return { ...call, packing, bytes: await read() };
  const isPacked = packing !== undefined && isTextSigned;
  const unpacked = async (): Promise<Buffer> => body.inflate(raw, await read(), packing!, limits);
  const reading = isPacked ? unpacked : read;
  const bytes = await signatures.read(raw, client, { ...limits, isPacked }, reading);
  return { ...call, bytes, packing: isPacked ? undefined : packing };
};

/** To our own endpoints scripts post JSON without a word of its type. Not where a host lets in whoever has its cookie. */
function takenBy({ rule, name, settings, callback, verifiedBy }: HookCall): Taken {
  const isOurs = callback !== undefined || builtInHook(name, settings) !== undefined;
  const isPlainTaken = isOurs && verifiedBy !== undefined;
  return { kind: rule?.body, alsoType: rule?.contentType, isPlainTaken };
}

/** The sender has to sign: 401 unless its signature fits these bytes. Only then it is known who it is. */
const verifySignature: Step = (call, { signatures }) => {
  const { signer, raw, client, receivedAt, bytes = EMPTY } = call;
  if (signer === undefined) return call;
  const { verifier, toleranceSeconds } = signer;
  const verifying = signatures.verify(raw, { verifier, client, receivedAt }, bytes);
  return verifying.then(({ sender, ...proof }) => ({
    ...call,
    verifiedBy: signedBy(proof.scheme, sender),
    signature: toleranceSeconds === undefined ? proof : { ...proof, toleranceSeconds },
  }));
};

/** For verified senders alone. Not what its headers say: 400; more than the path takes: 413. */
const unpack: Step = (call, { body }) => {
  const { raw, rule, settings, bytes = EMPTY, packing } = call;
  if (packing === undefined) return call;
  const unpacking = body.inflate(raw, bytes, packing, rule?.limits ?? bodyLimits(settings.hooks));
  return unpacking.then((unpacked) => ({ ...call, unpacked }));
};

/** Not UTF-8, not JSON, too deep: 400. */
const parse: Step = (call) => {
  const { raw, callback, unpacked, bytes = EMPTY } = call;
  // Whoever is told a token may repeat it.
  const told = hideToken(unpacked ?? bytes, callback?.token);
  const content = parseContent(told, takenBy(call), raw.headers);
  return content instanceof Promise
    ? content.then((parsed) => ({ ...call, content: parsed }))
    : { ...call, content };
};

function hideToken(bytes: Buffer, token: string | undefined): Buffer {
  if (token === undefined) return bytes;
  return Buffer.from(hideSecrets(bytes.toString('latin1'), [token]), 'latin1');
}

const handshakeByBody: Step = (call, { handshakes }) =>
  call.rule?.scheme?.handshakes === undefined
    ? call
    : handshakes.answerBody(call.rule, call).then((answer) => answer ?? call);

/** A tap on a question of ours from the platform that showed it: decided, and no event. */
const tapByBody: Step = (call, { taps }) => {
  const { signature, content } = call;
  if (signature === undefined) return call;
  const taken = taps.knock(signature.scheme, content?.value);
  return taken?.then((body) => (body ? { status: 200, body: { ...body } } : call)) ?? call;
};

/** What an agent says of its run after the end changes nothing: it is answered, and not stored. */
const lateCallback: Step = (call) =>
  call.callback?.hasEnded === true ? { status: 200, body: { ...LATE } } : call;

/** A key that is too long: 400. */
const toRequest: Step = (call) => ({ ...call, request: toHookRequest(call) });

/** No mapping takes what is no built-in hook, nor told of a run: 404. */
const findMapping: Step = (call, { mappings }) => {
  const { name, settings, request, callback } = call;
  const isTaken = callback !== undefined || builtInHook(name, settings) !== undefined;
  if (request === undefined || isTaken) return call;
  const mapping = mappings.match(request);
  if (mapping === null) throw new Rejection('unknown_hook');
  return { ...call, mapping, hook: mapping.id };
};

/** Before a byte of the body is read: who may speak (behaviour.md §1). `HookGuard` takes them. */
export const HEAD: readonly Step[] = [
  tokenInQuery,
  handshakeByHead,
  onlyPost,
  secretByHandshake,
  signatureByHead,
  authenticate,
];

/** What was sent. The pipes of a handler's parameters take them. */
export const BODY: readonly Step[] = [
  anyName,
  readBody,
  verifySignature,
  unpack,
  parse,
  handshakeByBody,
  tapByBody,
  lateCallback,
  toRequest,
  findMapping,
];

/** Those that read the body: where one of them ends a request, the rest of the body may still be under way. */
export const READING: ReadonlySet<Step> = new Set([secretByHandshake, readBody]);

/** On a path that takes either, whoever presents a token is judged by that; but for what its own sender shows as one. */
function presentsToken({ raw }: HookCall, { orToken, tokenHeader, scheme }: PathRule): boolean {
  if (!orToken) return false;
  const proofs = scheme?.proofs ?? [];
  const isBasicTaken = proofs.some(({ kind }) => kind === 'basic');
  const isTaken = proofs.some(
    (proof) => proof.kind === 'jwt' && proof.at.header === 'authorization',
  );
  const headers = isTaken ? { ...raw.headers, authorization: undefined } : raw.headers;
  return presentedToken(headers, tokenHeader, !isBasicTaken) !== null;
}
