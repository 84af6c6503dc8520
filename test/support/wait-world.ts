import { AgentRunner } from '../../src/hooks/ports/index.ts';
import type { AgentReply, AgentTurn, NewEvent, RunStatus } from '../../src/hooks/ports/index.ts';
import type { RunJob } from '../../src/hooks/ports/jobs.ts';
import { NO_MAPPING } from '../../src/hooks/ports/wait.ts';
import { LIMITS, agent, runOf } from '../contracts/ledger/events.ts';
import { ManualClock } from './clocks.ts';
import { LastingMemory } from './lasting-memory.ts';
import { ModuleProcess } from './module-process.ts';
import type { Life } from './mortal-process.ts';
import { withJob } from './with-job.ts';

/**
 * How a run waits. `begins`: for one event, before its agent is asked. `asks`: its agent waits again and again, for events
 * of a mapping. `elsewhere`: likewise, for what an agent elsewhere says.
 */
export type Waiting = 'begins' | 'asks' | 'elsewhere';

export const RESULT = 'the result';
const MOST_IN_A_ROW = 2;
const NINETY_DAYS = 90 * 86_400_000;

interface Awaiting {
  readonly id: string;
  readonly waiting: Waiting;
  readonly said: string[];
}

/** Replies with all that came for it, in the order in which it was told, once the result is among it. */
class ListeningRunner extends AgentRunner {
  constructor(private readonly life: Life) {
    super();
  }

  override mayRepeat(): boolean {
    return true;
  }

  override run({ id, prompt, resumed, agent: { id: kind } }: AgentTurn): Promise<AgentReply> {
    return this.life.call(async () => {
      if (kind === 'begins') return { text: prompt.includes(RESULT) ? RESULT : '' };
      const told = JSON.parse(resumed?.state ?? '[]') as string[];
      const came = resumed?.event?.content;
      if (came !== undefined) told.push(came);
      if (told.includes(RESULT)) return { text: told.join(', ') };
      const by = kind === 'elsewhere' ? { by: [NO_MAPPING] } : {};
      return { text: '', waits: { key: `of ${id}`, state: JSON.stringify(told), ...by } };
    });
  }
}

export class WaitWorld {
  readonly clock = new ManualClock();
  readonly memory = new LastingMemory();
  readonly runs: Awaiting[] = [];
  deaths = 0;
  /** Deaths since a process last lived on: what dies five times in a row is given up. */
  #inARow = 0;
  #process!: ModuleProcess;

  static async create(): Promise<WaitWorld> {
    const world = new WaitWorld();
    world.#process = await world.#begin();
    return world;
  }

  async accept(waiting: Waiting): Promise<void> {
    const given = agent(`run ${this.runs.length}`, {}, true);
    const id = runOf(given.id);
    const waitFor = {
      by: [waiting === 'elsewhere' ? NO_MAPPING : 'm'],
      withinMs: NINETY_DAYS,
      whenOver: 'deny',
      ...(waiting === 'begins' && { key: `of ${id}` }),
    } as const;
    await this.#store(given, { agentId: waiting, waitFor });
    this.runs.push({ id, waiting, said: [] });
  }

  async say(to: Awaiting, messages: readonly string[]): Promise<void> {
    for (const message of messages) {
      await this.#say(to, message);
      to.said.push(message);
    }
  }

  /** Of a mapping that may not resume it. */
  async forge(to: Awaiting): Promise<void> {
    await this.#say(to, 'forged', 'n');
  }

  async #say({ id, waiting }: Awaiting, message: string, forged?: string): Promise<void> {
    const isElsewhere = waiting === 'elsewhere' && forged === undefined;
    const given = agent(isElsewhere ? `callback:${id}` : `of ${id}`, {}, !isElsewhere);
    const mapping = forged ?? (isElsewhere ? undefined : 'm');
    await this.#store(given, {
      message,
      trust: { level: 'trusted', verifiedBy: 'token', ...(mapping && { mapping }) },
      resumes: { key: `of ${id}`, orElse: 'ignore', ...(isElsewhere && { runId: id }) },
    });
  }

  /** What is answered is stored: the sender sends until then. */
  async #store(given: NewEvent, job: Partial<RunJob>): Promise<void> {
    const receivedAt = this.clock.now();
    const event = withJob(
      { ...given, receivedAt },
      { ...job, receivedAt, wakeMode: 'next-heartbeat' },
    );
    await this.#process.ledger.intake.accept(event, LIMITS);
  }

  /** @param diesAfter so many calls, and another process begins `awayMs` later */
  async work(times: number, diesAfter = Infinity, awayMs = 0): Promise<void> {
    const { life } = this.#process;
    if (this.#inARow < MOST_IN_A_ROW) life.endAfter(diesAfter);
    const working = (async () => {
      for (let n = 0; n < times; n += 1) await this.#process.work('turn', 3);
    })();
    await Promise.race([working, life.over]);
    life.endAfter(Infinity);
    this.#inARow = life.isOver ? this.#inARow + 1 : 0;
    if (!life.isOver) return;
    await life.rest();
    this.deaths += 1;
    this.clock.advance(awayMs);
    this.#process = await this.#begin();
  }

  /**
   * What an agent will wait for nobody knows before it has said so, and an event that nobody awaits is kept for ten
   * minutes: the service does not leave both undone for longer.
   */
  async pass(ms: number): Promise<void> {
    for (const { id, waiting, said } of this.runs) {
      if (waiting !== 'asks' || said.length === 0) continue;
      const found = await this.#process.ledger.events.run(id);
      if (found?.run.waits.length === 0) await this.drain();
    }
    this.clock.advance(ms);
  }

  async drain(): Promise<void> {
    while ((await this.#process.work('turn', 3)) > 0);
  }

  async told({ id }: Awaiting): Promise<{ status: RunStatus; told: string[] }> {
    const found = await this.#process.ledger.events.run(id);
    if (found === null) throw new Error(`there is no run ${id}`);
    const { status, waits, reply } = found.run;
    const told = waits.flatMap(({ decision }) => decision?.event?.message ?? []);
    // What its agent was shown is what the record says.
    if (reply !== null && reply !== told.join(', '))
      throw new Error(`${reply} is not ${told.join(', ')}`);
    return { status, told };
  }

  isOver({ said }: Awaiting): boolean {
    return said.includes(RESULT);
  }

  #begin(): Promise<ModuleProcess> {
    const list = ['main', 'begins', 'asks', 'elsewhere'].map((id) => ({ id }));
    return ModuleProcess.start(this, (life) => ({
      runner: new ListeningRunner(life),
      agents: { defaults: { heartbeat: { every: '0m' }, notify: false }, list },
    }));
  }

  close(): void {
    this.memory.close();
  }
}
