import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ResolvedHooksOptions } from '../options/index.ts';
import { Intake, LedgerUnavailable, newId } from '../ports/index.ts';
import type { Acceptance, IdempotencyKey, NewEvent, Receipt } from '../ports/index.ts';
import { Rejection } from '../rejections/index.ts';
import type { HookEvent } from './hook-action.ts';
import { newAction } from './new-action.ts';

const HOUR_MS = 3_600_000;

/** The event is durable, or was before. */
export interface Accepted {
  readonly receipt: Receipt;
  /** True: the same key came before; nothing was written. */
  readonly isReplay: boolean;
}

/** Makes an event durable together with all the work it asks for: one commit, before the sender is answered. */
@Injectable()
export class EventAcceptance {
  constructor(private readonly intake: Intake) {}

  /** @throws Rejection when it could not be accepted; nothing was stored then. */
  async accept(event: HookEvent, settings: ResolvedHooksOptions): Promise<Accepted> {
    const limits = { maxSystemEvents: settings.agents.defaults.maxSystemEvents };
    return outcomeOf(await this.#store(toNewEvent(event, settings), limits));
  }

  async #store(event: NewEvent, limits: { maxSystemEvents: number }): Promise<Acceptance> {
    try {
      return await this.intake.accept(event, limits);
    } catch (error) {
      if (error instanceof LedgerUnavailable) throw new Rejection('store_unavailable');
      throw error;
    }
  }
}

function outcomeOf(acceptance: Acceptance): Accepted {
  switch (acceptance.outcome) {
    case 'accepted':
      return { receipt: acceptance.receipt, isReplay: false };
    case 'replayed':
      return { receipt: acceptance.receipt, isReplay: true };
    case 'conflict':
      throw new Rejection('idempotency_conflict');
    case 'full':
      throw new Rejection('event_queue_full');
    case 'paused':
      throw new Rejection('paused');
    default:
      return acceptance satisfies never;
  }
}

function toNewEvent(event: HookEvent, { hooks }: ResolvedHooksOptions): NewEvent {
  const { hook, receivedAt, request, payloadText, mapping, failure, warnings, actions, console } =
    event;
  const id = newId();
  const keepUntil = Math.ceil(receivedAt + hooks.idempotencyHours * HOUR_MS);
  const keyed = (scope: string, key: string | undefined): IdempotencyKey | undefined =>
    key === undefined || request.replayOf !== undefined
      ? undefined
      : { scope, key, digest: digestOf(payloadText), keepUntil };
  const idempotency = keyed(hook, event.idempotencyKey);
  // The first key there is counts: the sender's own, else the mapping's for each action.
  const deduped = (key: string | undefined) =>
    idempotency === undefined ? keyed(`dedupe ${hook}`, key) : undefined;
  return {
    v: 1,
    id,
    hook,
    receivedAt,
    request,
    payload: payloadText,
    warnings,
    actions: actions.map((action) => newAction(action, event, id, deduped(action.dedupeKey))),
    mapping,
    failure,
    console,
    idempotency,
  };
}

function digestOf(payloadText: string): string {
  return createHash('sha256').update(payloadText).digest('base64');
}
