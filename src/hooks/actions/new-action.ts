import { signalsOf } from '../boundary/index.ts';
import {
  MOST_ROUNDS,
  HANDLER,
  deliveryWork,
  fullSessionKey,
  handlerWork,
  immediateHeartbeat,
  loopText,
  mainSession,
  runQueue,
  whyNowhere,
} from '../ports/index.ts';
import type {
  Collecting,
  DeliveryJob,
  HandlerJob,
  MessageAddress,
  NewAction,
  NewEvent,
  NewWork,
  RunJob,
  WorkChange,
} from '../ports/index.ts';
import { newId } from '../../platform/new-id.ts';
import { shorten } from '../../platform/shorten.ts';
import type {
  AgentAction,
  DeliverAction,
  HandlerAction,
  HookAction,
  WakeAction,
} from './hook-action.ts';

/** Most that an event's details repeat of an action's text or message, in characters; the payload is stored anyway. */
const MAX_SHOWN_TEXT = 10_000;

/** Whose a run is, for turns to be shared fairly. */
type Flow = Pick<NewWork, 'hook' | 'sender'>;

export function toNewAction(action: HookAction, event: EventHead, flow: Flow = {}): NewAction {
  switch (action.kind) {
    case 'wake':
      return toWake(action, event);
    case 'agent':
      return toRun(action, event, flow);
    case 'deliver':
      return toDelivery(action, event);
    case 'handler':
      return toHandling(action, event);
    default:
      return action satisfies never;
  }
}

type EventHead = Pick<NewEvent, 'id' | 'hook' | 'receivedAt'> & Pick<RunJob, 'trace' | 'round'>;

function toWake(action: WakeAction, { id: eventId, hook, receivedAt: at }: EventHead): NewAction {
  const { kind, text, mode, agentId, trust } = action;
  const session = mainSession(agentId);
  const asksHeartbeat = mode === 'now';
  return {
    receipt: { kind, mode },
    details: {
      kind,
      text: shorten(text, MAX_SHOWN_TEXT),
      mode,
      agentId,
      trust,
      ...foundSignals(action, [text]),
    },
    changes: [
      { type: 'system-event', session, text, at, trust, hook, eventId, asksHeartbeat },
      ...(asksHeartbeat ? [{ type: 'work', work: immediateHeartbeat(agentId, at) } as const] : []),
    ],
  };
}

function toRun(
  action: AgentAction,
  { id: eventId, hook, receivedAt, trace, round = 0 }: EventHead,
  flow: Flow,
): NewAction {
  const runId = newId();
  const {
    kind,
    sessionKey,
    isAlone,
    exposeReply,
    unknownAgentId,
    dedupeKey: _key,
    whenBusy,
    busyScope,
    acknowledged,
    ...job
  } = action;
  const { message, task: _task, instructions: _own, isAgentsModel: _late, ...details } = job;
  const { agentId, model, thinking } = job;
  const session = fullSessionKey(agentId, sessionKey);
  const signals = foundSignals(action, [message, job.name, job.source]);
  const isGathered = action.collect !== undefined;
  const run: RunJob = {
    v: 1,
    ...job,
    ...(isGathered && { isAlone }),
    eventId,
    session,
    hook,
    receivedAt,
    ...(trace && { trace }),
    ...(round > 0 && { round }),
  };
  return {
    receipt: { kind, runId },
    details: {
      kind,
      message: shorten(message, MAX_SHOWN_TEXT),
      ...details,
      sessionKey,
      exposeReply,
      unknownAgentId,
      ...signals,
    },
    changes: [
      { type: 'run', id: runId, eventId, agentId, sessionKey, model, thinking },
      {
        type: 'work',
        work: {
          lane: 'turn',
          key: queueOf(action.collect, session, isAlone ? runId : null),
          kind: 'run',
          ...flow,
          ...(whenBusy && !isAlone && { whenBusy, busyScope }),
          ...(action.collect && { most: action.collect.most }),
          ref: runId,
          eventId,
          dueAt: receivedAt,
          job: run,
        },
      },
      ...(acknowledged === undefined ? [] : [acknowledgement(run, runId, acknowledged)]),
    ],
  };
}

function acknowledgement(
  { eventId, agentId, name, trust, receivedAt }: RunJob,
  runId: string,
  { channel, account, to }: MessageAddress,
): WorkChange {
  const job: DeliveryJob = {
    v: 1,
    deliveryId: newId(),
    eventId,
    channel,
    to,
    text: '',
    runId,
    agentId,
    becomesLastRoute: false,
    name,
    wakeMode: 'none',
    trust,
    acknowledges: true,
  };
  return { type: 'work', work: deliveryWork(job, account, receivedAt) };
}

/** The queue of a run: of what is gathered with it, of its session, or its own. @param alone its id, where it waits for no other */
function queueOf(collect: Collecting | undefined, session: string, alone: string | null): string {
  if (collect === undefined) return runQueue(session, alone);
  return `collect ${collect.queue} ${alone === null ? session : ''}`;
}

/** Nobody is told how it ends but the operator, so that no session hears of what no agent had a part in. */
function toDelivery(
  action: DeliverAction,
  { id: eventId, receivedAt, trace, round = 0 }: EventHead,
): NewAction {
  const { kind, message, name, deliver, address, agentId, trust } = action;
  const deliveryId = newId();
  const { channel, to } = address ?? { channel: deliver.channel, to: null };
  const delivery = { type: 'delivery', id: deliveryId, eventId, runId: null, channel, to } as const;
  const written = {
    receipt: { kind, deliveryId },
    details: { kind, message, name, deliver, trust },
  } as const;
  if (address === null || round > MOST_ROUNDS) {
    const error = address === null ? whyNowhere(deliver) : loopText(round);
    return { ...written, changes: [{ ...delivery, status: 'skipped', error }] };
  }
  const job: DeliveryJob = {
    v: 1,
    deliveryId,
    eventId,
    channel: address.channel,
    to,
    text: message,
    runId: null,
    round: round + 1,
    agentId,
    becomesLastRoute: false,
    ...(deliver.allowLinks === true && { allowLinks: true }),
    ...(deliver.isUrgent === true && { isUrgent: true }),
    name,
    wakeMode: 'none',
    trust,
    ...(trace && { trace }),
  };
  const work = deliveryWork(job, address.account, receivedAt);
  return {
    ...written,
    changes: [
      { ...delivery, status: 'pending' },
      { type: 'work', work },
    ],
  };
}

function toHandling(
  { kind, hook, handler: to, trust }: HandlerAction,
  { id: eventId, hook: path, receivedAt, trace }: EventHead,
): NewAction {
  const deliveryId = newId();
  const at = { deliveryId, eventId, channel: HANDLER, hook, path, to } as const;
  const job: HandlerJob = { v: 1, ...at, receivedAt, trust, ...(trace && { trace }) };
  return {
    receipt: { kind },
    details: { kind, handler: to, trust },
    changes: [
      {
        type: 'delivery',
        id: deliveryId,
        eventId,
        runId: null,
        channel: HANDLER,
        to,
        status: 'pending',
      },
      { type: 'work', work: handlerWork(job) },
    ],
  };
}

/** Only where the details cut a text short: all else is counted when somebody looks, not while a sender waits. */
function foundSignals({ trust }: HookAction, texts: readonly string[]): { signals?: object } {
  const isCut = texts.some(({ length }) => length > MAX_SHOWN_TEXT);
  if (!isCut || trust.level !== 'untrusted') return {};
  const signals = signalsOf(texts);
  return Object.keys(signals).length === 0 ? {} : { signals };
}
