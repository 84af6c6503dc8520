import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { HooksModule, HooksSettings } from '../../src/hooks/index.ts';
import type { HooksModuleOptions } from '../../src/hooks/index.ts';
import type { Change, ChannelBindings, Lease, StepOutcome } from '../../src/hooks/ports/index.ts';
import { ManualClock } from './clocks.ts';
import { RecordingChannel, RecordingRunner } from './recording.ts';
import type { Journal } from './recording.ts';
import { LineLog, Secrets } from './secret-free-log.ts';
import { StandInLedger } from './stand-in-ledger.ts';

export interface Commit {
  readonly outcome: StepOutcome;
  readonly changes: readonly Change[];
}

/** What the leases of `leases.ts` say, which no log line may repeat. */
const PAYLOADS = ['the build broke', 'the reply'];

/** Nothing but ports is replaced, so that tests know nothing of what is behind them. */
export class WorkUnderTest {
  readonly clock: ManualClock;
  readonly journal: Journal = [];
  readonly runner = new RecordingRunner(this.journal);
  readonly channel = new RecordingChannel('chan_1', this.journal);
  readonly otherChannel = new RecordingChannel('chan_2', this.journal);
  readonly ledger: StandInLedger;
  readonly log = new LineLog();
  app!: NestFastifyApplication;
  #stopped: Promise<void> | undefined;

  private constructor(clock: ManualClock, ledger: StandInLedger) {
    this.ledger = ledger;
    this.clock = clock;
    this.runner.reply = () => 'the reply';
  }

  /** @param options settings, and what a test replaces; `channels` may be made of the recording ones. */
  static async start(options?: WorkOptions): Promise<WorkUnderTest> {
    const work = await WorkUnderTest.create(options);
    await work.app.init();
    await work.app.getHttpAdapter().getInstance().ready();
    return work;
  }

  static async create({
    channels,
    clock = new ManualClock(),
    ledger = new StandInLedger(),
    ...given
  }: WorkOptions = {}): Promise<WorkUnderTest> {
    const work = new WorkUnderTest(clock, ledger);
    const module = HooksModule.forRoot({
      ledger,
      runner: work.runner,
      channels: channels?.(work) ?? { chan_1: { provider: work.channel, to: '+1' } },
      clock,
      shutdownSeconds: 0,
      ...given,
    });
    const testing = Test.createTestingModule({ imports: [module] }).setLogger(work.log);
    const compiled = await testing.compile();
    work.app = compiled.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), {
      logger: work.log,
    });
    return work;
  }

  get settings(): HooksSettings {
    return this.app.get(HooksSettings);
  }

  get sessions(): StandInLedger['sessions'] {
    return this.ledger.sessions;
  }

  async perform(lease: Lease): Promise<Commit> {
    const committed = this.ledger.work.nextCommit(lease.workId);
    this.ledger.work.give(lease);
    return committed;
  }

  async stopDuring(lease: Lease): Promise<Commit> {
    const committed = this.perform(lease);
    await settled();
    await this.stop();
    return committed;
  }

  /** Hands out a lease that was claimed just before the service stops, so that nothing of it is begun. */
  async stopBefore(lease: Lease): Promise<Commit> {
    const committed = this.ledger.work.nextCommit(lease.workId);
    this.ledger.work.claimedLate.push(lease);
    await this.stop();
    return committed;
  }

  /** What SIGTERM does. Resolves at once when it was stopped before. */
  stop(): Promise<void> {
    return (this.#stopped ??= this.app.close());
  }

  /** Stops, and sees to it that every log call was one text and none holds a payload. */
  async close(): Promise<void> {
    await this.stop();
    for (const line of this.log.lines) {
      if (!line.startsWith('["')) throw new Error(`a log call that is no text: ${line}`);
    }
    new Secrets(...PAYLOADS).assertAbsentFrom(this.log.lines);
  }
}

export interface WorkOptions extends Partial<
  Omit<HooksModuleOptions, 'channels' | 'clock' | 'ledger'>
> {
  readonly channels?: (work: WorkUnderTest) => ChannelBindings;
  readonly clock?: ManualClock;
  readonly ledger?: StandInLedger;
}

export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export function listKinds(changes: readonly Change[]): string[] {
  return changes.map((change) =>
    change.type === 'work' ? `work:${change.work.kind}` : change.type,
  );
}

export function only<T extends Change['type']>(
  changes: readonly Change[],
  type: T,
): Extract<Change, { type: T }>[] {
  return changes.filter((change): change is Extract<Change, { type: T }> => change.type === type);
}
