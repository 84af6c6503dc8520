import type { Change, RunUpdate } from '../../hooks/ports/change.ts';
import type { EventRequest, NewAction, NewEvent } from '../../hooks/ports/intake.ts';
import type { NewWork } from '../../hooks/ports/new-work.ts';
import type { WireAction, WireChange, WireEvent, WireRunUpdate, WireWork } from './wire-data.ts';

const NO_WARNINGS = '[]';

/** The request as it is stored: `console` is what a transform wrote. */
export type StoredEventRequest = EventRequest & { readonly console?: readonly string[] };

/** An event in the form that crosses to the thread: flat, with nested data as the JSON text that will be stored. */
export function toWireEvent(event: NewEvent): WireEvent {
  return {
    id: event.id,
    hook: event.hook,
    receivedAt: event.receivedAt,
    mapping: event.mapping ?? null,
    failure: event.failure ?? null,
    warnings: event.warnings.length === 0 ? NO_WARNINGS : JSON.stringify(event.warnings),
    request: JSON.stringify(storedRequest(event)),
    payload: event.payload,
    idempotency: event.idempotency ?? null,
    actions: event.actions.map(toWireAction),
  };
}

/** Console lines ride with the request: they are rare, and pruned with the payload. */
function storedRequest({ request, console = [] }: NewEvent): StoredEventRequest {
  return console.length === 0 ? request : { ...request, console };
}

function toWireAction({ receipt, story, dedupeKey, changes }: NewAction): WireAction {
  return {
    receipt: JSON.stringify(receipt),
    story: JSON.stringify(story),
    dedupeKey: dedupeKey ?? null,
    changes: changes.map(toWireChange),
  };
}

/** Work in the form that crosses to the thread. */
export function toWireWork(work: NewWork): WireWork {
  return { ...work, order: JSON.stringify(work.order) };
}

/** A change in the form that crosses to the thread. */
export function toWireChange(change: Change): WireChange {
  switch (change.type) {
    case 'system-event':
      return { ...change, trust: JSON.stringify(change.trust) };
    case 'work':
      return { type: 'work', work: toWireWork(change.work) };
    case 'run-update':
      return toWireRunUpdate(change);
    default:
      return change;
  }
}

function toWireRunUpdate(update: RunUpdate): WireRunUpdate {
  const { contract, usage, warnings, toolCalls, note, ...flat } = update;
  return {
    ...flat,
    contract: json(contract),
    usage: json(usage),
    warnings: json(warnings),
    toolCalls: json(toolCalls),
    note: json(note),
  };
}

function json(value: object | undefined): string | undefined {
  return value && JSON.stringify(value);
}
