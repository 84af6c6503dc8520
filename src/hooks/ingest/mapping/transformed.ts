import type { AgentWish, WakeWish } from '../agent-dispatch.ts';
import type { NamedKey } from '../policy/session-policy.ts';
import type { TransformAction } from '../transform/transform-result.ts';
import type { CompiledMapping } from './compiled-mapping.ts';

type WakeAction = Extract<TransformAction, { kind: 'wake' }>;
type AgentAction = Extract<TransformAction, { kind: 'agent' }>;

/** What the templates made, with the fields over it that a transform set. */
export function transformedWake(wish: WakeWish, action: WakeAction): WakeWish {
  const { text = wish.text, mode = wish.mode, agentId = wish.agentId } = action;
  const warnings = action.text === undefined ? wish.warnings : [];
  return { ...wish, text, mode, agentId, warnings };
}

/**
 * What the templates made, with the fields over it that a transform set. A transform works on content, so what it says
 * of sessions and recipients is derived from content: the key must go on from the mapping's own literal text, the
 * recipient never becomes the last route.
 */
export function transformedRun(
  mapping: CompiledMapping,
  wish: AgentWish,
  action: AgentAction,
): AgentWish {
  const { kind: _kind, sessionKey, message, ...fields } = action;
  return {
    ...wish,
    ...fields,
    ...(message !== undefined && { message: message.trimEnd(), warnings: [] }),
    ...(sessionKey !== undefined && { sessionKey: derivedKey(mapping, sessionKey) }),
    ...(action.to !== undefined && { isToFromContent: true }),
  };
}

function derivedKey(mapping: CompiledMapping, key: string): NamedKey {
  return { key, from: 'mapping', derivedAfter: mapping.templates.sessionKey?.literalStart ?? '' };
}
