import { createHash } from 'node:crypto';
import type { Trust } from '../../ports/index.ts';
import type { AgentWish, WakeWish } from '../agent-dispatch.ts';
import type { HookRequest } from '../hook-request.ts';
import type { NamedKey } from '../policy/session-policy.ts';
import type { CompiledMapping, TemplatedField } from './compiled-mapping.ts';
import { sourceOf } from './payload-source.ts';
import { isStatic, renderTemplate } from './template.ts';
import type { Rendered, TemplateScope } from './template.ts';

const MAX_DEDUPE_KEY_LENGTH = 256;

/** A wake as the mapping's templates make it, for one scope. A transform may ask for it of an agent mapping. */
export function wakeWish(
  mapping: CompiledMapping,
  scope: TemplateScope,
  request: HookRequest,
): WakeWish {
  const { wakeMode, agentId } = mapping.options;
  const dedupeKey = renderDedupeKey(mapping, scope);
  const { text, warnings } = wordsOf(mapping, scope);
  return {
    text,
    warnings,
    trust: trustOf(mapping, request),
    mode: wakeMode,
    agentId,
    dedupeKey,
  };
}

/** A run as the mapping's templates make it, for one scope. A transform may ask for it of a wake mapping. */
export function agentWish(
  mapping: CompiledMapping,
  scope: TemplateScope,
  request: HookRequest,
): AgentWish {
  const { options } = mapping;
  const to = render(mapping, 'to', scope);
  const { text, warnings } = wordsOf(mapping, scope);
  return {
    message: text.trimEnd(),
    warnings,
    name: render(mapping, 'name', scope)?.text,
    instructions: options.instructions,
    source: sourceOf(request.payload) ?? mapping.id,
    agentId: options.agentId,
    sessionKey: renderSessionKey(mapping, scope),
    sessionMode: options.sessionMode,
    wakeMode: options.wakeMode,
    deliver: options.deliver,
    channel: options.channel,
    to: present(to?.text),
    isToFromContent: to?.hasContent,
    allowLinks: options.allowLinks,
    model: present(render(mapping, 'model', scope)?.text),
    thinking: present(render(mapping, 'thinking', scope)?.text),
    timeoutSeconds: options.timeoutSeconds,
    trust: trustOf(mapping, request),
    dedupeKey: renderDedupeKey(mapping, scope),
  };
}

function render(
  mapping: CompiledMapping,
  field: TemplatedField,
  scope: TemplateScope,
): Rendered | undefined {
  const template = mapping.templates[field];
  return template === undefined ? undefined : renderTemplate(template, scope);
}

/** Without a template, and with a list of lines that finds nothing at all, the agent sees the item or the whole payload. */
function wordsOf({ id, templates }: CompiledMapping, scope: TemplateScope) {
  const template = templates.messageTemplate ?? templates.textTemplate;
  if (template === undefined) return { text: wholeContent(scope), warnings: [] };
  const { text, hasContent } = renderTemplate(template, scope);
  if (hasContent || isStatic(template)) return { text, warnings: [] };
  const isList = template.lines !== undefined;
  const shown = isList ? '; the agent is shown all of the payload' : '';
  const warning = `mapping "${id}": the payload has none of the fields that its template names${shown}`;
  return { text: isList ? wholeContent(scope) : text, warnings: [warning] };
}

function wholeContent(scope: TemplateScope): string {
  return JSON.stringify('item' in scope ? scope.item : scope.payload);
}

/** A template whose placeholders gave nothing names no session. */
function renderSessionKey(mapping: CompiledMapping, scope: TemplateScope): NamedKey | undefined {
  const template = mapping.templates.sessionKey;
  if (template === undefined) return undefined;
  const { text, hasContent } = renderTemplate(template, scope);
  if (isStatic(template)) return { key: text, from: 'mapping' };
  return hasContent
    ? { key: text, from: 'mapping', derivedAfter: template.literalStart }
    : undefined;
}

function renderDedupeKey(mapping: CompiledMapping, scope: TemplateScope): string | undefined {
  const rendered = render(mapping, 'dedupeKey', scope);
  // Made of nothing but its own punctuation it would take different payloads for one.
  const key = rendered?.hasContent === true ? present(rendered.text) : undefined;
  return key === undefined ? undefined : bounded(key);
}

/** The key of one of several actions that a transform made of one scope: they are no repeats of each other. */
export function nthDedupeKey(key: string | undefined, n: number): string | undefined {
  return key === undefined || n === 0 ? key : bounded(`${key} action ${n + 1}`);
}

/** A key longer than the store keeps is replaced by its digest. */
function bounded(key: string): string {
  if (key.length <= MAX_DEDUPE_KEY_LENGTH) return key;
  return createHash('sha256').update(key).digest('hex');
}

function trustOf(mapping: CompiledMapping, { verifiedBy }: HookRequest): Trust {
  const isTrusted = mapping.options.allowUnsafeExternalContent === true;
  return { level: isTrusted ? 'trusted' : 'untrusted', verifiedBy, mapping: mapping.id };
}

/** Trimmed; blank is absent. */
function present(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}
