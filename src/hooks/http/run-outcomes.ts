import { Injectable } from '@nestjs/common';
import { MappingService } from '../mappings/mapping-service.ts';
import { exposesAgentReplies } from '../options/index.ts';
import type { ResolvedHooksOptions } from '../options/index.ts';
import { Clock, EventStore, LedgerUnavailable, RunEnds } from '../ports/index.ts';
import type { RunDetails, RunStatus, RunStory } from '../ports/index.ts';
import { Rejection } from '../rejection.ts';
import type { RunOutcomeAnswer, RunStatusAnswer } from './answer-bodies.ts';
import { ClientGone } from './body.ts';
import type { HookAnswer } from './request-context.ts';
import { RunWaits } from './run-waits.ts';

/** How the holder of `hooks.token` is verified: anybody's, and so nobody's in particular. */
const SHARED_TOKEN = 'token';

/** Unknown runs are answered on the beat of this many milliseconds, so that the time does not tell whether there is one. */
const BEAT_MS = 50;

/** What a sender is told of an end that was none: the reason may quote what an agent, a provider or a program said. */
const ERRORS: Readonly<Partial<Record<RunStatus, string>>> = {
  failed: 'The run failed; its operator finds the reason under this runId.',
  'timed-out': 'The run took longer than it may; its operator can have it done again.',
  interrupted:
    'The service stopped during the run, which may have acted already; its operator can have it done again.',
};

/** Who asks for what. */
export interface AskedRun {
  readonly runId: string;
  /** How the sender was verified. */
  readonly sender: string;
  /** How long to wait for the end, in seconds; 0: not at all. */
  readonly waitSeconds: number;
  /** Those in force: what they no longer allow is not shown. */
  readonly settings: ResolvedHooksOptions;
  /** Aborts when the client went away. */
  readonly gone: AbortSignal;
}

/**
 * What became of a run, for the sender that asked for it (behaviour.md §14):
 * - the token that made the run learns how it ended, and its reply where the operator says so;
 * - the shared token learns the status alone;
 * - for everybody else there is no such run.
 */
@Injectable()
export class RunOutcomes {
  constructor(
    private readonly events: EventStore,
    private readonly ends: RunEnds,
    private readonly waits: RunWaits,
    private readonly mappings: MappingService,
    private readonly clock: Clock,
  ) {}

  /** @throws Rejection unknown_run, run_unavailable, too_many_waits, waits_full; ClientGone */
  async tell(asked: AskedRun): Promise<HookAnswer> {
    const { runId, sender, waitSeconds, gone } = asked;
    const answered = new AbortController();
    try {
      // Listening begins before the first look, or an end between the two would be missed.
      const news = this.ends.next(runId, answered.signal);
      let story = await this.#find(asked);
      if (waitSeconds > 0 && !hasEnded(story.run)) {
        await this.waits.hold(sender, waitSeconds * 1000, { news, gone });
        if (gone.aborted) throw new ClientGone();
        story = await this.#find(asked);
      }
      return { status: 200, body: { ...this.#toAnswer(story, asked) } };
    } finally {
      answered.abort();
    }
  }

  /** @throws Rejection */
  async #find({ runId, sender }: AskedRun): Promise<RunStory> {
    const began = this.clock.elapsed();
    const story = await this.#read(runId);
    if (story !== null && (sender === SHARED_TOKEN || story.verifiedBy === sender)) return story;
    await this.clock.wait(BEAT_MS - ((this.clock.elapsed() - began) % BEAT_MS));
    throw new Rejection('unknown_run');
  }

  async #read(runId: string): Promise<RunStory | null> {
    try {
      return await this.events.run(runId);
    } catch (error) {
      throw error instanceof LedgerUnavailable ? new Rejection('run_unavailable') : error;
    }
  }

  #toAnswer(story: RunStory, asked: AskedRun): RunStatusAnswer | RunOutcomeAnswer {
    const { id: runId, status, startedAt, finishedAt, reply } = story.run;
    if (asked.sender === SHARED_TOKEN) return { ok: true, runId, status };
    const delivery = story.deliveries.at(-1)?.status;
    const error = ERRORS[status];
    return {
      ok: true,
      runId,
      status,
      startedAt,
      finishedAt,
      ...(delivery !== undefined && { delivery }),
      ...(error !== undefined && { error }),
      ...(reply !== null && this.#isExposed(story, asked.settings) && { reply }),
    };
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
  return status !== 'queued' && status !== 'running';
}
