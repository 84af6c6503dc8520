import { Injectable } from '@nestjs/common';
import { MappingService } from '../mappings/mapping-service.ts';
import { exposesAgentReplies } from '../options/index.ts';
import type { ResolvedHooksOptions } from '../options/index.ts';
import { Clock, EventStore, LedgerUnavailable, RunEnds } from '../ports/index.ts';
import type { RunDetails, RunStatus, RunStory } from '../ports/index.ts';
import { Rejection } from '../ports/rejection.ts';
import { RunDelays } from '../ports/run-delays.ts';
import type { RunOutcomeAnswer, RunStatusAnswer } from './answer-bodies.ts';
import { throttleKey } from './auth/client-address.ts';
import { ClientGone } from './body.ts';
import { VERIFIED_BY_HOST } from './hook-call.ts';
import type { HookAnswer } from './hook-call.ts';

// `GET {prefix}/runs/<runId>` (behaviour.md §14); the guard has let the sender in by then.
//
// 1. No such run, or one that another token made -> 404 unknown_run.
// 2. The ledger cannot be read -> 503 run_unavailable.
// 3. `wait` and no place to wait in -> 429 too_many_waits with four of one sender, 503 waits_full with a hundred in all.
// 4. 200 with the status at once, at the end of the run or after `wait` seconds; a stop of the service ends all waits
//    early, and their senders are told how the run stands.

/** How the holder of `hooks.token` is verified: anybody's, and so nobody's in particular. */
const SHARED_TOKEN = 'token';

/** Unknown runs are answered on the beat of this many milliseconds, so that the time does not tell whether there is one. */
const BEAT_MS = 50;

/** What a sender is told of an end that was none: the reason may quote what an agent, a provider or a program said. */
const ERRORS: Readonly<Partial<Record<RunStatus, string>>> = {
  failed: 'The run failed; its operator finds the reason under this runId.',
  denied: 'A person decided that the run is not done.',
  skipped: 'A rule of the hook leaves the run out.',
  'timed-out': 'The run took longer than it may; its operator can have it done again.',
  interrupted:
    'The service stopped during the run, which may have acted already; its operator can have it done again.',
};

interface AskedRun {
  readonly runId: string;
  readonly sender: string;
  /** Its address, which tells apart those who have the shared token. */
  readonly client: string;
  /** How long to wait for the end, in seconds; 0: not at all. */
  readonly waitSeconds: number;
  /** Those in force: what they no longer allow is not shown. */
  readonly settings: ResolvedHooksOptions;
  /** Aborts when the client went away. */
  readonly gone: AbortSignal;
}

/** Most that wait at a time for one sender, for all of the shared token, and in all: each holds a connection. */
const MOST_OF_ONE = 4;
const MOST_SHARED = 50;
const MOST = 100;

/** For `Retry-After`: in seconds, when a place may be free again. */
const RETRY_SECONDS = 5;

/** How often whoever waits looks, in milliseconds: nobody tells of what a rule or another process has ended. */
const LOOK_MS = 2000;

interface WaitEnds {
  readonly news: Promise<void>;
  readonly gone: AbortSignal;
}

interface Waiter {
  readonly sender: string;
  readonly client: string;
}

@Injectable()
export class RunWaits {
  readonly #places = new Map<string, number>();
  readonly #closing = new AbortController();
  #taken = 0;
  #shared = 0;

  constructor(private readonly clock: Clock) {}

  /**
   * Resolves at news, when nobody waits any more, after `ms`, or at a stop. @throws Rejection too_many_waits,
   * waits_full
   */
  async hold({ sender, client }: Waiter, ms: number, { news, gone }: WaitEnds): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const isShared = sender === SHARED_TOKEN || sender === VERIFIED_BY_HOST;
    const waiter = isShared ? `${sender} ${throttleKey(client)}` : sender;
    const isFull = this.#taken >= MOST || (isShared && this.#shared >= MOST_SHARED);
    const own = this.#places.get(waiter) ?? 0;
    if (own >= MOST_OF_ONE) throw new Rejection('too_many_waits', '', RETRY_SECONDS);
    if (isFull) throw new Rejection('waits_full', '', RETRY_SECONDS);
    this.#places.set(waiter, own + 1);
    this.#taken += 1;
    if (isShared) this.#shared += 1;
    const heard = new AbortController();
    void news.then(() => heard.abort());
    try {
      const ends = AbortSignal.any([heard.signal, gone, this.#closing.signal]);
      await this.clock.wait(ms, ends);
    } finally {
      this.#giveBack(waiter);
      if (isShared) this.#shared -= 1;
    }
  }

  /** Ends all waits, and every later one at once: their senders are told how the run stands. */
  close(): void {
    this.#closing.abort();
  }

  #giveBack(waiter: string): void {
    const left = (this.#places.get(waiter) ?? 1) - 1;
    if (left === 0) this.#places.delete(waiter);
    else this.#places.set(waiter, left);
    this.#taken -= 1;
  }
}

/** To the shared token the status alone; to any other token but the one that made the run, there is no such run. */
@Injectable()
export class RunOutcomes {
  constructor(
    private readonly events: EventStore,
    private readonly ends: RunEnds,
    private readonly waits: RunWaits,
    private readonly mappings: MappingService,
    private readonly clock: Clock,
    private readonly delays: RunDelays,
  ) {}

  /** @throws Rejection unknown_run, run_unavailable, too_many_waits, waits_full; ClientGone */
  async tell(asked: AskedRun): Promise<HookAnswer> {
    const { runId, waitSeconds, gone } = asked;
    const answered = new AbortController();
    try {
      // Listening begins before the first look, or an end between the two would be missed.
      const news = this.ends.next(runId, answered.signal);
      let story = await this.#find(asked);
      if (waitSeconds > 0 && !hasEnded(story.run)) {
        const ended = Promise.race([news, this.#seen(runId, answered.signal)]);
        await this.waits.hold(asked, waitSeconds * 1000, { news: ended, gone });
        if (gone.aborted) throw new ClientGone();
        story = await this.#find(asked);
      }
      return { status: 200, body: { ...(await this.#toAnswer(story, asked)) } };
    } finally {
      answered.abort();
    }
  }

  async #seen(runId: string, answered: AbortSignal): Promise<void> {
    for (;;) {
      await this.clock.wait(LOOK_MS, answered);
      if (answered.aborted) return;
      const story = await this.#read(runId)
        .then((one) => one && this.#withBatch(one))
        .catch(() => null);
      if (story !== null && hasEnded(story.run)) return;
    }
  }

  /** @throws Rejection */
  async #find({ runId, sender }: AskedRun): Promise<RunStory> {
    const began = this.clock.elapsed();
    const story = await this.#read(runId);
    if (story !== null && (sender === SHARED_TOKEN || story.verifiedBy === sender))
      return this.#withBatch(story);
    await this.clock.wait(BEAT_MS - ((this.clock.elapsed() - began) % BEAT_MS));
    throw new Rejection('unknown_run');
  }

  /** Of a run that became a line of another one, how that stands; what it says is not only about this event. */
  async #withBatch(story: RunStory): Promise<RunStory> {
    const batch = story.run.joined === null ? null : await this.#read(story.run.joined);
    if (batch === null) return story;
    const { status, startedAt, finishedAt, error } = batch.run;
    return { ...story, run: { ...story.run, status, startedAt, finishedAt, error } };
  }

  async #read(runId: string): Promise<RunStory | null> {
    try {
      return await this.events.run(runId);
    } catch (error) {
      throw error instanceof LedgerUnavailable ? new Rejection('run_unavailable') : error;
    }
  }

  async #toAnswer(story: RunStory, asked: AskedRun): Promise<RunStatusAnswer | RunOutcomeAnswer> {
    const { id: runId, status, startedAt, finishedAt, reply } = story.run;
    if (asked.sender === SHARED_TOKEN) return { ok: true, runId, status };
    const delivery = story.deliveries.at(-1)?.status;
    const error = ERRORS[status];
    const waitsFor = await this.#waitsFor(story);
    return {
      ok: true,
      runId,
      status,
      startedAt,
      finishedAt,
      ...(delivery !== undefined && { delivery }),
      ...(error !== undefined && { error }),
      ...(waitsFor !== undefined && { waitsFor }),
      ...(reply !== null && this.#isExposed(story, asked.settings) && { reply }),
    };
  }

  async #waitsFor({ run, waitsFor }: RunStory): Promise<string | undefined> {
    if (run.status === 'waiting') return run.error ?? 'a decision of the operator';
    return waitsFor === null ? undefined : this.delays.describe(waitsFor);
  }

  /** The operator said so when the run was accepted, and says so still. */
  #isExposed({ event, action }: RunStory, settings: ResolvedHooksOptions): boolean {
    if (action['exposeReply'] !== true) return false;
    return event.mapping === null
      ? exposesAgentReplies(settings)
      : this.mappings.exposesReplies(event.mapping, settings);
  }
}

function hasEnded({ status }: RunDetails): boolean {
  return status !== 'queued' && status !== 'running' && status !== 'waiting';
}
