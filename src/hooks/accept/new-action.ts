import { signalsOf } from '../boundary/index.ts';
import { fullSessionKey, immediateHeartbeat, mainSession, newId } from '../ports/index.ts';
import type { Change, IdempotencyKey, NewAction, RunOrder } from '../ports/index.ts';
import type { AgentAction, HookAction, HookEvent, WakeAction } from './hook-action.ts';

/** What one action writes into the ledger. */
export function newAction(
  action: HookAction,
  event: HookEvent,
  eventId: string,
  dedupeKey: IdempotencyKey | undefined,
): NewAction {
  const written =
    action.kind === 'wake' ? wake(action, event, eventId) : agentRun(action, event, eventId);
  return dedupeKey === undefined ? written : { ...written, dedupeKey };
}

function wake(action: WakeAction, event: HookEvent, eventId: string): NewAction {
  const { kind, text, mode, agentId, trust } = action;
  const session = mainSession(agentId);
  const { hook, receivedAt: at } = event;
  const asksHeartbeat = mode === 'now';
  const changes: Change[] = [
    { type: 'system-event', session, text, at, trust, hook, eventId, asksHeartbeat },
  ];
  if (asksHeartbeat) changes.push({ type: 'work', work: immediateHeartbeat(agentId, at) });
  const story = { kind, mode, agentId, trust, ...signals(action, [text]) };
  return { receipt: { kind, mode }, story, changes };
}

function agentRun(action: AgentAction, event: HookEvent, eventId: string): NewAction {
  const runId = newId();
  const session = fullSessionKey(action.agentId, action.sessionKey);
  const { kind, message: _message, instructions: _own, dedupeKey: _key, ...story } = action;
  const { agentId, sessionKey, model, thinking } = action;
  const changes: Change[] = [
    {
      type: 'run',
      id: runId,
      eventId,
      agentId,
      sessionKey,
      model,
      thinking,
    },
    {
      type: 'work',
      work: {
        lane: 'turn',
        key: session,
        kind: 'run',
        ref: runId,
        eventId,
        dueAt: event.receivedAt,
        order: runOrder(action, event, eventId, session),
      },
    },
  ];
  const signalled = signals(action, [action.message, action.name, action.source]);
  return { receipt: { kind, runId }, story: { kind, ...story, ...signalled }, changes };
}

function runOrder(
  action: AgentAction,
  event: HookEvent,
  eventId: string,
  session: string,
): RunOrder {
  const {
    kind: _kind,
    dedupeKey: _key,
    unknownAgentId: _id,
    sessionKey: _short,
    ...order
  } = action;
  return { v: 1, ...order, eventId, session, hook: event.hook, receivedAt: event.receivedAt };
}

/** What the texts of a foreign sender try, for the story; nothing when nothing was seen or the operator vouches. */
function signals({ trust }: HookAction, texts: readonly string[]) {
  if (trust.level !== 'untrusted') return {};
  const seen = signalsOf(texts);
  return Object.keys(seen).length === 0 ? {} : { signals: seen };
}
