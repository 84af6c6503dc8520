import { createHash } from 'node:crypto';
import { LEFT_OUT } from '../../platform/credentials.ts';
import type { ActionResolver, ResolvedAction } from '../actions/action-resolver.ts';
import type {
  HandlerAction,
  RequestedMessage,
  RequestedRun,
  RequestedWake,
} from '../actions/hook-action.ts';
import type { HookRequest } from '../actions/hook-request.ts';
import { limitKey } from '../actions/idempotency.ts';
import type { NamedKey } from '../actions/session-policy.ts';
import { toAwaited } from '../options/index.ts';
import { senderApart } from '../ports/index.ts';
import type { Trust } from '../ports/index.ts';
import { Rejection } from '../ports/rejection.ts';
import type { ActionOverride } from '../transforms/result.ts';
import type { CompiledMapping, TemplatedField } from './mapping.ts';
import { readSource, toMatchInput } from './match.ts';
import { renderTemplate, shownAt } from './render.ts';
import type { Rendered } from './render.ts';
import { isStatic } from './template.ts';
import type { Template, TemplateScope } from './template.ts';
import { findNo } from './when.ts';

export interface MappedRequest {
  readonly mapping: CompiledMapping;
  readonly request: HookRequest;
}

type WakeOverride = Extract<ActionOverride, { kind: 'wake' }>;
type RunOverride = Extract<ActionOverride, { kind: 'agent' }>;
type MessageOverride = Extract<ActionOverride, { kind: 'deliver' }>;

interface ScopedAction<Override = ActionOverride> {
  readonly scope: TemplateScope;
  /** What the transform set; only the mapping's own kind when it set nothing. */
  readonly override: Override;
  /** Its place among the actions of its scope, from 0. */
  readonly nth: number;
}

/** Passes one action through the policies. @throws Rejection */
export async function requestAction(
  { mapping, request }: MappedRequest,
  { scope, override, nth }: ScopedAction,
  resolver: ActionResolver,
): Promise<ResolvedAction> {
  switch (override.kind) {
    case 'wake':
      return resolver.wake(
        requestWake(mapping, request, { scope, override, nth }),
        request.settings,
      );
    case 'agent':
      return resolver.run(requestRun(mapping, request, { scope, override, nth }), request.settings);
    case 'deliver':
      return await resolver.message(requestMessage(mapping, request, { scope, override, nth }));
    default:
      return override satisfies never;
  }
}

export function handlerAction(
  { mapping, request }: MappedRequest,
  handler: string,
  scope: TemplateScope,
): HandlerAction {
  const dedupeKey = renderDedupeKey(mapping, scope, 0);
  const trust = chooseTrust(mapping, request);
  return { kind: 'handler', hook: mapping.id, handler, trust, dedupeKey };
}

function requestMessage(
  mapping: CompiledMapping,
  request: HookRequest,
  { scope, override, nth }: ScopedAction<MessageOverride>,
): RequestedMessage {
  const { channel, allowLinks } = mapping.options;
  const { kind: _kind, message, ...overrides } = override;
  const rendered = renderText(mapping, scope);
  return {
    message: (message ?? rendered.text).trimEnd(),
    warnings: message === undefined ? rendered.warnings : [],
    name: render(mapping, 'name', scope)?.text,
    channel,
    to: trimmed(render(mapping, 'to', scope)?.text),
    allowLinks,
    isUrgent: isUrgent(mapping, request),
    trust: chooseTrust(mapping, request),
    dedupeKey: renderDedupeKey(mapping, scope, nth),
    ...overrides,
  };
}

/** A transform may ask for a wake of an agent mapping: then its message template makes the text. */
function requestWake(
  mapping: CompiledMapping,
  request: HookRequest,
  { scope, override, nth }: ScopedAction<WakeOverride>,
): RequestedWake {
  const { wakeMode, agentId } = mapping.options;
  const rendered = renderText(mapping, scope);
  return {
    text: override.text ?? rendered.text,
    warnings: override.text === undefined ? rendered.warnings : [],
    trust: chooseTrust(mapping, request),
    mode: override.mode ?? wakeMode,
    agentId: override.agentId ?? agentId,
    dedupeKey: renderDedupeKey(mapping, scope, nth),
  };
}

/**
 * What a transform says is derived from content: its key must begin with the mapping's own literal text, and its
 * recipient never becomes the last route.
 */
function requestRun(
  mapping: CompiledMapping,
  request: HookRequest,
  { scope, override, nth }: ScopedAction<RunOverride>,
): RequestedRun {
  const { options, templates } = mapping;
  const { kind: _kind, message, sessionKey, waitFor, ...overrides } = override;
  const rendered = renderText(mapping, scope);
  const to = render(mapping, 'to', scope);
  return {
    message: (message ?? rendered.text).trimEnd(),
    warnings: message === undefined ? rendered.warnings : [],
    name: render(mapping, 'name', scope)?.text,
    task: mapping.task,
    instructions: options.instructions,
    source: readSource(request.payload) ?? mapping.id,
    agentId: options.agentId,
    sessionKey:
      sessionKey === undefined
        ? renderSessionKey(mapping, scope)
        : derivedKey(sessionKey, templates.sessionKey?.literalStart ?? ownStart(mapping)),
    sessionMode: options.sessionMode,
    wakeMode: options.wakeMode,
    deliver: options.deliver,
    channel: options.channel,
    to: trimmed(to?.text),
    toFrom:
      override.to !== undefined || override.channel !== undefined || to?.hasContent === true
        ? 'content'
        : 'mapping',
    allowLinks: options.allowLinks,
    isUrgent: isUrgent(mapping, request),
    exposeReply: options.exposeReply,
    ...waits(mapping, scope, waitFor),
    ...rules(mapping, request, scope),
    model: trimmed(render(mapping, 'model', scope)?.text),
    thinking: trimmed(render(mapping, 'thinking', scope)?.text),
    timeoutSeconds: options.timeoutSeconds,
    trust: chooseTrust(mapping, request),
    dedupeKey: renderDedupeKey(mapping, scope, nth),
    ...overrides,
    ...atSource(mapping, request, scope),
  };
}

/** Which runs it resumes, and what it waits for itself. @throws Rejection where a payload does not say what it is about */
function waits(
  mapping: CompiledMapping,
  scope: TemplateScope,
  key: string | undefined,
): Partial<RequestedRun> {
  const { id, options, templates, awaitedKey } = mapping;
  const { waitFor, orElse = 'ignore' } = options;
  const keyOf = (template: Template, field: string): string | undefined => {
    const { text, isComplete } = renderTemplate(template, scope);
    const key = isComplete ? trimmed(text) : undefined;
    if (key !== undefined) return limitKey(key);
    if (orElse === 'run') return undefined;
    throw new Rejection('invalid_payload', `The payload has no ${field} for the mapping "${id}"`);
  };
  const resumed = templates.resume && keyOf(templates.resume, 'resume');
  if (key !== undefined && waitFor === undefined) {
    const message = `The transform of mapping "${id}" says what a run waits for, and its waitFor.by names nobody who resumes it`;
    throw new Rejection('invalid_payload', message);
  }
  const awaited =
    key === undefined ? awaitedKey && keyOf(awaitedKey, 'waitFor.key') : limitKey(key);
  return {
    ...(resumed !== undefined && { resumes: { key: resumed, orElse } }),
    ...(waitFor && { waitFor: toAwaited(waitFor, awaited) }),
  };
}

function rules(
  { id, options, collect }: CompiledMapping,
  { verifiedBy }: HookRequest,
  scope: TemplateScope,
): Partial<RequestedRun> {
  const { whenBusy = 'queue', busyScope } = options;
  const busy = whenBusy === 'queue' ? {} : { whenBusy, busyScope };
  if (collect === undefined) return busy;
  const { by, scope: whose, ...collecting } = collect;
  const has = by === undefined ? '' : renderTemplate(by, scope).text;
  const queue = JSON.stringify([id, senderApart(whose, verifiedBy), has]);
  return { ...busy, collect: { ...collecting, queue: toDigest(queue) } };
}

function isUrgent({ excepted }: CompiledMapping, request: HookRequest): boolean {
  return (
    excepted?.some((conditions) => findNo(conditions, toMatchInput(request)) === null) ?? false
  );
}

/** Where the reply goes of a mapping that answers at the source: never for a transform or an agent to say. */
function atSource(
  { options, replyTo }: CompiledMapping,
  request: HookRequest,
  scope: TemplateScope,
): Partial<RequestedRun> {
  const { reply, approve, channel } = options;
  if (reply !== 'source' || replyTo === undefined) return { approve };
  const { text, isComplete } = renderTemplate(replyTo.to, scope);
  const isOpen =
    replyTo.private === undefined || findNo(replyTo.private, toMatchInput(request)) !== null;
  return {
    provider: replyTo.provider,
    channel,
    toFrom: 'content',
    // Without it the delivery ends, and says that nobody is named.
    to: isComplete ? trimmed(text) : undefined,
    approve,
    isOpen,
  };
}

function chooseTrust(mapping: CompiledMapping, { verifiedBy }: HookRequest): Trust {
  const isTrusted = mapping.options.allowUnsafeExternalContent === true;
  return { level: isTrusted ? 'trusted' : 'untrusted', verifiedBy, mapping: mapping.id };
}

/** A transform speaks for the payload; a handler is the host's own code, and its sessions are those of hooks. */
function ownStart({ handler }: CompiledMapping): string {
  return handler === undefined ? '' : 'hook:';
}

/** A template names no session when one of its placeholders found nothing. */
function renderSessionKey(mapping: CompiledMapping, scope: TemplateScope): NamedKey | undefined {
  const template = mapping.templates.sessionKey;
  if (template === undefined) return undefined;
  const { text, isComplete } = renderTemplate(template, scope);
  if (isStatic(template)) return { key: text, from: 'mapping' };
  return isComplete ? derivedKey(text, template.literalStart) : undefined;
}

function derivedKey(key: string, derivedAfter: string): NamedKey {
  return { key, from: 'mapping', derivedAfter };
}

function render(
  { templates }: CompiledMapping,
  field: TemplatedField,
  scope: TemplateScope,
): Rendered | undefined {
  const template = templates[field];
  return template === undefined ? undefined : renderTemplate(template, scope);
}

/** What the agent, or the recipient, is to read. Without a template, and with one that finds nothing at all, the item or the whole payload. */
function renderText({ id, kind, templates }: CompiledMapping, scope: TemplateScope) {
  const template = templates.messageTemplate ?? templates.textTemplate;
  if (template === undefined) return { text: wholeContent(scope), warnings: [] };
  const { text, hasContent } = renderTemplate(template, scope);
  if (hasContent || isStatic(template)) return { text, warnings: [] };
  const reader = kind === 'deliver' ? 'channel' : 'agent';
  const warning = `mapping "${id}": the payload has none of the fields that its template names; the ${reader} is shown all of the payload`;
  return { text: wholeContent(scope), warnings: [warning] };
}

function wholeContent(scope: TemplateScope): string {
  const root = 'item' in scope ? 'item' : 'payload';
  return JSON.stringify(shownAt([root], scope[root], scope));
}

/** Several actions of one scope get keys of their own: they are no repeats of each other. */
function renderDedupeKey(
  mapping: CompiledMapping,
  scope: TemplateScope,
  nth: number,
): string | undefined {
  const template = mapping.templates.dedupeKey;
  if (template === undefined) return undefined;
  const rendered = renderTemplate(template, scope);
  // A key with a gap in it would make one of different payloads.
  const shown = rendered.hasContent && rendered.isComplete ? trimmed(rendered.text) : undefined;
  if (shown === undefined) return undefined;
  if (!shown.isWellFormed()) {
    // As it is stored, two such texts could be the same.
    throw new Rejection(
      'invalid_payload',
      `the dedupeKey of mapping "${mapping.id}" would hold half of a character: send well-formed Unicode`,
    );
  }
  // What is left out may be all that tells two payloads apart: then the digest of everything is the key.
  const first = shown.includes(LEFT_OUT)
    ? toDigest(renderTemplate(template, { ...scope, redaction: undefined }).text)
    : limitKey(shown);
  return nth === 0 ? first : limitKey(`${first} action ${nth + 1}`);
}

function toDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function trimmed(text: string | undefined): string | undefined {
  const rest = text?.trim();
  return rest === '' ? undefined : rest;
}
