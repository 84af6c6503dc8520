import { ManualClock } from '../../test/support/clocks.ts';
import { LedgerUnavailable } from '../hooks/ports/ledger.ts';
import { CallQueue } from './call-queue.ts';
import type { Group, Host, Outcome, QueueOwner } from './call-queue.ts';

interface Calls {
  echo: { args: [value: unknown]; result: unknown };
}

const DONE: Outcome = { values: [], failures: [], lost: null };

class TestedHost implements Host<Calls> {
  readonly groups: Group<Calls>[] = [];
  readonly #answers: PromiseWithResolvers<Outcome>[] = [];
  isClosed = false;

  run(group: Group<Calls>): Promise<Outcome> {
    this.groups.push(group);
    const answer = Promise.withResolvers<Outcome>();
    this.#answers.push(answer);
    return answer.promise;
  }

  answer(answer: Partial<Outcome> = {}): void {
    const values = this.groups.at(-this.#answers.length)!.calls.map(({ args }) => args[0]);
    this.#answers.shift()!.resolve({ ...DONE, values, ...answer });
  }

  die(): void {
    this.#answers.shift()!.reject(new Error('an oops'));
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }
}

function fail(why: string): never {
  throw new Error(why);
}

/** Long enough for a group to be sent, and for what begins before it. */
const turn = async () => {
  for (let n = 0; n < 3; n += 1) await new Promise((resolve) => setImmediate(resolve));
};

let clock: ManualClock;
let hosts: TestedHost[];
let told: string[];
const queueOf = (owner: Partial<QueueOwner<Calls, object, Outcome>> = {}) =>
  new CallQueue<Calls, object, Outcome>(clock, {
    begin: () => {
      hosts.push(new TestedHost());
      return Promise.resolve(hosts.at(-1)!);
    },
    head: () => ({}),
    underWay: (ms) => told.push(`under way ${ms}`),
    died: (reason) => told.push(`died ${reason}`),
    lost: (reason) => told.push(`lost ${reason}`),
    ...owner,
  });
const host = (n: number): TestedHost => hosts[n] ?? fail(`no host ${n} was begun`);
const sizes = (of: TestedHost) => of.groups.map(({ calls }) => calls.length);

beforeEach(() => {
  [clock, hosts, told] = [new ManualClock(), [], []];
});

describe('CallQueue', () => {
  it('does what is asked in one turn of the event loop as one group, and what comes meanwhile as the next', async () => {
    const queue = queueOf();
    await queue.begin();
    const first = [queue.call('echo', 1), queue.call('echo', 2)];
    await turn();
    const rest = [3, 4, 5].map((value) => queue.call('echo', value));
    expect(queue.waiting).toBe(5);
    await turn();
    expect(sizes(host(0))).toEqual([2]);
    host(0).answer();
    expect(await Promise.all(first)).toEqual([1, 2]);
    await turn();
    expect(sizes(host(0))).toEqual([2, 3]);
    host(0).answer();
    expect(await Promise.all(rest)).toEqual([3, 4, 5]);
    await queue.close();
    expect(host(0).isClosed).toBe(true);
  });

  it('makes no group of more than 256 calls, or of much more than four million characters', async () => {
    const queue = queueOf();
    await queue.begin();
    const many = Array.from({ length: 300 }, (_, n) => queue.call('echo', n));
    await turn();
    host(0).answer();
    await Promise.all(many.slice(0, 256));
    await turn();
    host(0).answer();
    await Promise.all(many);
    const text = 'x'.repeat(2 << 20);
    const places = [text, [text], { payload: text }, [{ text }], text];
    const large = places.map((value) => queue.call('echo', value));
    await turn();
    host(0).answer();
    await turn();
    host(0).answer();
    await turn();
    host(0).answer();
    await Promise.all(large);
    expect(sizes(host(0))).toEqual([256, 44, 2, 2, 1]);
  });

  it('lets an answer be promised, also one that fails before its turn', async () => {
    const unheard: unknown[] = [];
    const listener = (reason: unknown) => unheard.push(reason);
    process.on('unhandledRejection', listener);
    const queue = queueOf();
    await queue.begin();
    const calls = Array.from({ length: 20 }, () => queue.call('echo', 1));
    await turn();
    host(0).answer({ values: calls.map(() => Promise.reject(new Error('an oops'))) });
    const results = await Promise.allSettled(calls);
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['rejected']));
    process.off('unhandledRejection', listener);
    expect(unheard).toEqual([]);
  });

  it('fails each call that failed, and no other', async () => {
    const queue = queueOf();
    await queue.begin();
    const calls = [queue.call('echo', 1), queue.call('echo', 2), queue.call('echo', 3)];
    await turn();
    host(0).answer({
      failures: [
        { index: 0, unavailable: true, message: 'full' },
        { index: 2, unavailable: false, message: 'a bug' },
      ],
    });
    const [first, second, third] = await Promise.allSettled(calls);
    expect(first).toMatchObject({ reason: expect.any(LedgerUnavailable) });
    expect(second).toMatchObject({ value: 2 });
    expect(third).toMatchObject({
      reason: expect.not.objectContaining({ name: 'LedgerUnavailable' }),
    });
  });

  it('tells whoever asks meanwhile how long a group has been under way', async () => {
    const queue = queueOf();
    await queue.begin();
    const calls = [queue.call('echo', 1)];
    await turn();
    clock.advance(400);
    calls.push(queue.call('echo', 2));
    clock.advance(1100);
    calls.push(queue.call('echo', 3));
    expect(told).toEqual(['under way 400', 'under way 1500']);
    host(0).answer();
    await turn();
    host(0).answer();
    await Promise.all(calls);
  });

  it('fails what was under way when its host dies, and gives the rest to a new one', async () => {
    const queue = queueOf();
    const lost = queue.call('echo', 1);
    await turn();
    const kept = queue.call('echo', 2);
    host(0).die();
    await expect(lost).rejects.toThrow(LedgerUnavailable);
    expect(told).toContain('died an oops');
    await turn();
    host(1).answer();
    expect(await kept).toBe(2);
    await queue.close();
  });

  it('fails what waits when no host can be begun, and tries again for the next call', async () => {
    const hosted = new TestedHost();
    let isBroken = true;
    const queue = queueOf({
      begin: () => (isBroken ? Promise.reject(new Error('no disk')) : Promise.resolve(hosted)),
    });
    await expect(queue.call('echo', 1)).rejects.toThrow(new LedgerUnavailable('no disk'));
    isBroken = false;
    const call = queue.call('echo', 2);
    await turn();
    hosted.answer();
    expect(await call).toBe(2);
  });

  it('takes nothing more once the ledger is lost', async () => {
    const queue = queueOf();
    const calls = [queue.call('echo', 1)];
    await turn();
    calls.push(queue.call('echo', 2));
    host(0).answer({ lost: 'the file was removed' });
    for (const call of calls) await expect(call).rejects.toThrow('the file was removed');
    await expect(queue.call('echo', 3)).rejects.toThrow('the file was removed');
    expect(told).toContain('lost the file was removed');
    await queue.close();
    expect(host(0).isClosed).toBe(true);
  });

  it('keeps everything waiting while it is held', async () => {
    const queue = queueOf();
    await queue.begin();
    const release = queue.hold();
    const call = queue.call('echo', 1);
    await turn();
    expect(host(0).groups).toEqual([]);
    release();
    await turn();
    host(0).answer();
    expect(await call).toBe(1);
  });

  it('does what was asked before it is closed, and refuses what comes after', async () => {
    const queue = queueOf();
    await queue.begin();
    const call = queue.call('echo', 1);
    const closed = queue.close();
    await expect(queue.call('echo', 2)).rejects.toThrow('the ledger is closed');
    await turn();
    host(0).answer();
    expect(await call).toBe(1);
    await closed;
    expect(told).toEqual([]);
  });

  it('begins no host that nobody asked for', async () => {
    await queueOf().close();
    expect(hosts).toEqual([]);
  });
});
