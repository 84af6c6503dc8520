import { AgentRunner, Channel, TapDoor } from '../../src/hooks/ports/index.ts';
import type {
  AgentReply,
  AgentTurn,
  Approval,
  Decision,
  Ledger,
  OutgoingMessage,
  Tap,
  WaitingRun,
} from '../../src/hooks/ports/index.ts';
import { LIMITS, MAIN, agent, runOf } from '../contracts/ledger/events.ts';
import { ButtonPlatform, SCHEME } from './button-platform.ts';
import type { ShownMessage } from './button-platform.ts';
import { ManualClock } from './clocks.ts';
import { LastingMemory } from './lasting-memory.ts';
import { ModuleProcess } from './module-process.ts';
import type { Life } from './mortal-process.ts';
import { withJob } from './with-job.ts';

const OPERATOR = 'operator ana';
const MINUTE = 60_000;

interface Yes {
  readonly wait: WaitingRun;
  readonly text: string;
  uses: number;
}

/** Knows what people were shown and what they answered; whatever is done without their leave is a {@link crimes crime}. */
class Oracle {
  readonly crimes: string[] = [];
  readonly yeses: Yes[] = [];
  readonly ended = new Set<string>();
  readonly approvals = new Map<string, Approval>();
  acts = 0;

  constructor(
    private readonly platform: ButtonPlatform,
    private readonly askedTo: string,
  ) {}

  /** The ledger has taken a decision. @param wait as an operator could read it a moment before */
  decided(decision: Decision, wait: WaitingRun | undefined): void {
    const { verdict, by = '', text } = decision;
    if (wait === undefined) return this.#crime(`${by} has decided what nobody asks`);
    if (this.ended.has(wait.id)) this.#crime(`${by} has decided what was decided`);
    this.ended.add(wait.id);
    if (by !== OPERATOR) this.#checkTap(decision, wait);
    if (verdict === 'approved') this.yeses.push({ wait, text: text ?? wait.text, uses: 0 });
  }

  begun(runId: string): void {
    if (this.approvals.get(runId)?.run !== true) return;
    this.#act(`the run ${runId} begins`, ({ wait }) => wait.kind === 'run' && wait.runId === runId);
  }

  called(runId: string, input: string): void {
    this.#act(`${input} is called`, ({ wait: { kind, runId: of, calls } }) => {
      return kind === 'tools' && of === runId && calls.length === 1 && calls[0]?.input === input;
    });
  }

  delivered({ to, text }: OutgoingMessage): void {
    const runId = text.match(/of run (\S+)/)?.[1] ?? '';
    if (this.approvals.get(runId)?.reply !== true) return;
    this.#act(`"${text}" goes to ${to}`, (yes) => {
      const { kind, recipient } = yes.wait;
      return kind === 'reply' && recipient?.to === to && yes.text === text;
    });
  }

  retried(eventId: string): void {
    for (const yes of this.yeses) {
      if (yes.wait.eventId === eventId && yes.wait.kind === 'run') yes.uses = 0;
    }
  }

  #act(what: string, isFor: (yes: Yes) => boolean): void {
    this.acts += 1;
    const yes = this.yeses.findLast((one) => isFor(one));
    if (yes === undefined) return this.#crime(`${what}, and nobody has said yes`);
    yes.uses += 1;
    if (yes.uses > 1) this.#crime(`${what} once more by the same yes`);
  }

  #mayDecide(by: string, { runId }: WaitingRun): boolean {
    const { approvers } = this.approvals.get(runId) ?? {};
    return approvers?.includes(by) ?? by === `people:${this.askedTo}`;
  }

  #checkTap({ verdict, by = '' }: Decision, wait: WaitingRun): void {
    const { text, recipient } = wait;
    if (!this.#mayDecide(by, wait)) this.#crime(`${by} has decided and may not`);
    const isTapped = this.platform.tapped.some((tap) => {
      if (tap.by !== by || tap.verdict !== verdict) return false;
      return this.platform.seen.some(
        (seen) =>
          seen.code === tap.code &&
          seen.text.includes(text) &&
          seen.text.includes(recipient?.to ?? ''),
      );
    });
    if (!isTapped) this.#crime(`${by} has decided without a tap below what it is about`);
  }

  #crime(what: string): void {
    this.crimes.push(what);
  }
}

class PayingRunner extends AgentRunner {
  constructor(
    private readonly oracle: Oracle,
    private readonly life: Life,
  ) {
    super();
  }

  override run({ id, asks, resumed }: AgentTurn): Promise<AgentReply> {
    return this.life.call(async () => {
      if (resumed?.isApproved === true) this.oracle.called(id, resumed.state);
      if (resumed !== undefined) return { text: `reply after tools of run ${id}` };
      this.oracle.begun(id);
      if (asks === undefined) return { text: `reply of run ${id}` };
      const input = JSON.stringify({ payFor: id });
      return { text: '', asks: { calls: [{ tool: 'desk_pay', input }], state: input } };
    });
  }
}

class CustomerChannel extends Channel {
  override readonly provider = 'customers';
  override readonly knowsKeys = true;

  constructor(
    private readonly sent: Map<string, OutgoingMessage>,
    private readonly oracle: Oracle,
    private readonly life: Life,
  ) {
    super();
  }

  send(message: OutgoingMessage): Promise<{ messageId: string }> {
    return this.life.call(async () => {
      const { idempotencyKey } = message;
      if (!this.sent.has(idempotencyKey)) this.oracle.delivered(message);
      this.sent.set(idempotencyKey, message);
      return { messageId: idempotencyKey };
    });
  }
}

export class DecisionWorld {
  readonly clock = new ManualClock();
  readonly memory = new LastingMemory();
  readonly platform: ButtonPlatform;
  readonly oracle: Oracle;
  readonly delivered = new Map<string, OutgoingMessage>();
  readonly events: string[] = [];
  deaths = 0;
  #process!: ModuleProcess;

  private constructor(
    readonly askedTo: string,
    readonly changesNothing: boolean,
  ) {
    this.platform = new ButtonPlatform(changesNothing);
    this.oracle = new Oracle(this.platform, askedTo);
  }

  static async create(askedTo: string, changesNothing: boolean): Promise<DecisionWorld> {
    const world = new DecisionWorld(askedTo, changesNothing);
    world.#process = await world.#begin();
    await world.route('customer');
    return world;
  }

  async do<T>(
    act: (process: ModuleProcess) => Promise<T>,
    diesAfter = Infinity,
  ): Promise<T | undefined> {
    const { life } = this.#process;
    life.endAfter(diesAfter);
    const heard = await Promise.race([act(this.#process), life.over]);
    life.endAfter(Infinity);
    if (!life.isOver) return heard ?? undefined;
    await this.outage(0);
    return undefined;
  }

  async outage(ms: number): Promise<void> {
    const { life } = this.#process;
    life.kill();
    await life.rest();
    this.deaths += 1;
    this.clock.advance(ms);
    this.#process = await this.#begin();
  }

  /** A run that a person decides about. @param to null: where the main session spoke last */
  async accept(approve: Approval, session: string, to: string | null): Promise<void> {
    const given = agent(session);
    const approved = withJob(given, {
      approve,
      message: `what was asked of ${given.id}`,
      wakeMode: 'next-heartbeat',
      receivedAt: this.clock.now(),
      deliver: to === null ? { channel: 'last' } : { channel: 'chan_1', to },
    });
    this.events.push(given.id);
    this.oracle.approvals.set(runOf(given.id), approve);
    await this.do(({ ledger }) => ledger.intake.accept(approved, LIMITS));
  }

  async knock(taps: readonly Tap[], diesAfter?: number): Promise<void> {
    await this.do(async (process) => {
      await Promise.all(taps.map((tap) => this.#knock(process.find(TapDoor), tap)));
    }, diesAfter);
  }

  async #knock(door: TapDoor, tap: Tap): Promise<void> {
    await door.knock(SCHEME, tap);
    // It is answered beside the request.
    await new Promise((resolve) => setImmediate(resolve));
  }

  async route(to: string): Promise<void> {
    await this.do(({ ledger }) => ledger.sessions.noteRoute(MAIN, { channel: 'chan_1', to }));
  }

  async decide(
    id: string,
    given: Pick<Decision, 'verdict' | 'text'>,
    diesAfter?: number,
  ): Promise<void> {
    const decision = { ...given, by: OPERATOR, at: this.clock.now() };
    await this.do(({ ledger }) => ledger.admin.decide(id, decision), diesAfter);
  }

  async retry(eventId: string): Promise<void> {
    this.oracle.retried(eventId);
    await this.do(({ ledger }) => ledger.admin.retry(eventId));
  }

  async waits(): Promise<readonly WaitingRun[]> {
    return (await this.#process.ledger.admin.waits({ limit: 200 })).waits;
  }

  async settle(): Promise<void> {
    // A burst of questions that hold their session is decided by time, a day for each.
    for (const minutes of [0, 1, 5, 30, ...Array<number>(100).fill(12 * 60)]) {
      this.clock.advance(minutes * MINUTE);
      await this.drain();
      if ((await this.open()).length === 0) return;
    }
  }

  async drain(): Promise<void> {
    const next = () =>
      this.do(async (process) => (await process.work('turn')) || (await process.work('delivery')));
    while (await next());
  }

  async open(): Promise<readonly unknown[]> {
    const counts = await this.#process.ledger.admin.counts();
    return counts.filter(({ state }) => state !== 'dead');
  }

  /** Who taps a button whose message was never known to be shown has nothing decided, and it goes. */
  async tapWhatIsLeft(): Promise<void> {
    for (const { id: messageId, to, code } of this.buttons) {
      const tap = {
        by: 'people:ana',
        to,
        verdict: 'approved',
        messageId,
        code: code ?? '',
      } as const;
      await this.knock([this.platform.tap(tap, false)]);
    }
  }

  get buttons(): readonly ShownMessage[] {
    return this.platform.messages.filter(({ code }) => code !== null);
  }

  #begin(): Promise<ModuleProcess> {
    const optionsOf = (life: Life) => ({
      runner: new PayingRunner(this.oracle, life),
      // Where the platform's requests would come in, as those of one that is known are verified.
      mappings: [
        {
          id: 'taps',
          match: { path: 'taps' },
          action: 'ignore' as const,
          verify: { scheme: SCHEME, secrets: ['the-secret-of-the-decisions'] },
        },
      ],
      channels: {
        chan_1: { provider: new CustomerChannel(this.delivered, this.oracle, life) },
        chan_2: { provider: this.platform.channel(life) },
      },
      agents: {
        defaults: {
          heartbeat: { every: '0m' },
          notify: { channel: 'chan_2' as const, to: this.askedTo },
        },
      },
    });
    return ModuleProcess.start(this, optionsOf, (opened) => ({ admin: this.#observed(opened) }));
  }

  #observed({ admin }: Ledger): Ledger['admin'] {
    const { oracle } = this;
    return new Proxy(admin, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== 'decide') return typeof value === 'function' ? value.bind(target) : value;
        return async (id: string, decision: Decision) => {
          const { waits } = await target.waits({ limit: 200 });
          const outcome = await target.decide(id, decision);
          if (outcome === 'decided')
            oracle.decided(
              decision,
              waits.find((one) => one.id === id),
            );
          return outcome;
        };
      },
    });
  }

  close(): void {
    this.memory.close();
  }
}
