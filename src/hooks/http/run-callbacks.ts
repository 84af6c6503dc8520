import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ResolvedHook } from '../actions/accept.ts';
import type { HookRequest } from '../actions/hook-request.ts';
import { CALLBACK, EventStore, LedgerUnavailable, callbackKey } from '../ports/index.ts';
import type { RunDetails } from '../ports/index.ts';
import { Rejection } from '../ports/rejection.ts';
import { HookAuthentication } from './auth/hook-authentication.ts';
import type { HookCall } from './hook-call.ts';
import { runIdIn } from './run-question.ts';
import type { RunCallback } from './run-question.ts';

// An agent that runs elsewhere says what became of its run: `POST {prefix}/runs/<runId>`, with the token that this run
// alone has. It is stored like any other event, and resumes the run that waits for it.

@Injectable()
export class RunCallbacks {
  constructor(
    private readonly events: EventStore,
    private readonly authentication: HookAuthentication,
  ) {}

  /** Whether the token is that of the run; after its end, too, so that a repeat is no stranger. @throws Rejection */
  async verify(call: HookCall, { runId, token }: RunCallback): Promise<HookCall> {
    const { raw, client, settings } = call;
    const key = Buffer.from(callbackKey(token));
    let run: RunDetails | null = null;
    const isOfRun = async (): Promise<boolean> => {
      run = await this.#run(runId);
      return keysOf(run).some(
        (one) => one.length === key.length && timingSafeEqual(Buffer.from(one), key),
      );
    };
    await this.authentication.verifyRun({ headers: raw.headers, client, settings, token }, isOfRun);
    const hasEnded = run!.finishedAt !== null;
    return { ...call, verifiedBy: CALLBACK, callback: { runId, token, hasEnded } };
  }

  /** What it means: the run that waits goes on. @throws Rejection unknown_run for one that is forgotten */
  async resolve({
    name,
    payloadText,
    verifiedBy,
    idempotencyKey,
    callbackKey: presented,
  }: HookRequest): Promise<ResolvedHook> {
    const run = await this.#run(runIdIn(name) ?? '');
    // What an operator replays has no token.
    const key = presented ?? keysOf(run).at(-1);
    if (run === null || key === undefined) throw new Rejection('unknown_run');
    const { id, agentId } = run;
    return {
      hook: CALLBACK,
      warnings: [],
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      actions: [
        {
          kind: 'agent',
          name: 'Callback',
          message: payloadText,
          source: CALLBACK,
          agentId,
          // What one start says is told one after the other, as it came, and waits for nothing that another said.
          sessionKey: `${CALLBACK}:${id}:${key.slice(-8)}`,
          sessionMode: 'isolated',
          isAlone: false,
          wakeMode: 'next-heartbeat',
          timeoutSeconds: 1,
          trust: { level: 'untrusted', verifiedBy },
          deliver: null,
          resumes: { key, orElse: 'ignore', runId: id },
        },
      ],
    };
  }

  async #run(runId: string): Promise<RunDetails | null> {
    try {
      return (await this.events.run(runId))?.run ?? null;
    } catch (error) {
      if (error instanceof LedgerUnavailable) throw new Rejection('run_unavailable');
      throw error;
    }
  }
}

function keysOf(run: RunDetails | null): string[] {
  const keys = run?.waits.flatMap(({ key }) => key ?? []) ?? [];
  return keys.filter((key) => key.startsWith(`${CALLBACK} `));
}
