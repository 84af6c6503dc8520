import { AgentError } from '../../src/hooks/index.ts';
import { RunEnds } from '../../src/hooks/ports/index.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks, TOKEN } from '../support/hooks.ts';

const SENDERS = 26;
const secretOf = (n: number): string => `the-secret-of-sender-number-${n}`;
const tokens = Array.from({ length: SENDERS }, (_, n) => ({
  id: `sender-${n}`,
  token: secretOf(n),
  hooks: ['agent'],
}));
const FIRST = secretOf(0);

describe('GET {hooks.path}/runs/<runId>?wait=… (behaviour.md §14)', () => {
  let hooks: Hooks;
  let release: () => void;
  beforeEach(async () => {
    hooks = await Hooks.start({
      tokens,
      shutdownSeconds: 60,
      trustedProxies: ['127.0.0.0/8'],
    });
    const released = Promise.withResolvers<string>();
    release = () => released.resolve('the reply');
    hooks.runner.reply = ({ kind }) => (kind === 'run' ? released.promise : 'HEARTBEAT_OK');
  });
  afterEach(async () => {
    release();
    await hooks.close();
  });

  async function accepted(token = FIRST): Promise<string> {
    const headers = { authorization: `Bearer ${token}` };
    return String((await hooks.ask('/agent', { message: 'go' }, headers))['runId']);
  }

  function wait(runId: string, token = FIRST, seconds = 60): ReturnType<Hooks['run']> {
    return hooks.run(runId, { token, query: `?wait=${seconds}` });
  }

  const waiting = (count: number): Promise<boolean> =>
    eventually(`${count} wait`, () => hooks.app.get(RunEnds).waiting === count);

  it('holds until the run has ended, and no longer', async () => {
    const runId = await accepted();
    const [owner, shared] = [wait(runId), wait(runId, TOKEN)];
    await waiting(2);
    release();
    expect(await owner).toMatchObject({ status: 200, run: 'succeeded' });
    expect(await shared).toMatchObject({ status: 200, run: 'succeeded' });
    expect(await wait(runId)).toMatchObject({ status: 200, run: 'succeeded' });
    await waiting(0);
  });

  it('says to the token that made it what it waits for, and no word of a provider', async () => {
    hooks.runner.reply = () => {
      throw new AgentError('provider "local" answered 503: secret', 'unreachable', 600_000);
    };
    const runId = await accepted();
    const waits = async () => (await wait(runId, FIRST, 0))['waitsFor'];
    await eventually('it waits', async () => (await waits()) !== undefined);
    const about =
      /^the default model \(it answered 503\), unavailable since \d\d:\d\d UTC, next attempt at \d\d:\d\d UTC, \d+ waiting$/;
    expect(await waits()).toMatch(about);
    expect(await wait(runId, FIRST, 0)).toMatchObject({ run: 'queued', finishedAt: null });
    expect(Object.keys(await wait(runId, TOKEN, 0)).toSorted()).toEqual([
      'ok',
      'run',
      'runId',
      'status',
    ]);
  });

  it('ends with its time: the run is told as it stands', async () => {
    const runId = await accepted();
    expect(await wait(runId, FIRST, 1)).toMatchObject({ status: 200, finishedAt: null });
    expect(await wait(runId, FIRST, 0)).toMatchObject({ status: 200, finishedAt: null });
  });

  it('an end that nobody told of costs the rest of the time, and is told then', async () => {
    hooks.app.get(RunEnds).tell = () => {};
    const runId = await accepted();
    const answer = wait(runId, FIRST, 1);
    await waiting(1);
    release();
    expect(await answer).toMatchObject({ status: 200, run: expect.any(String) as string });
    await eventually(
      'it has ended',
      async () => (await wait(runId, FIRST, 1))['run'] === 'succeeded',
    );
  });

  it('nobody waits for a run of others', async () => {
    const runId = await accepted();
    expect(await wait(runId, secretOf(1))).toMatchObject({ status: 404, code: 'unknown_run' });
    await waiting(0);
  });

  it('four wait with one token; one more is told to come again, and others are not concerned', async () => {
    const runId = await accepted();
    const five = Array.from({ length: 5 }, () => wait(runId));
    const refused = await Promise.race(five);
    expect(refused).toMatchObject({ status: 429, code: 'too_many_waits' });
    const answer = await fetch(`${hooks.url}/hooks/runs/${runId}?wait=1`, {
      headers: { authorization: `Bearer ${FIRST}` },
    });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await wait(runId, FIRST, 0)).toMatchObject({ status: 200 });
    expect(await wait(runId, TOKEN, 1)).toMatchObject({ status: 200 });
    release();
    const statuses = (await Promise.all(five)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
    expect(await wait(await accepted())).toMatchObject({ status: 200, run: 'succeeded' });
  });

  it('those who share the hook token have four places each, by their address, and fifty in all', async () => {
    const runId = await accepted();
    const from = (client: number, seconds = 60): Promise<Response> =>
      fetch(`${hooks.url}/hooks/runs/${runId}?wait=${seconds}`, {
        headers: { authorization: `Bearer ${TOKEN}`, 'x-forwarded-for': `192.0.2.${client}` },
      });
    const asked = Array.from({ length: 4 }, () => from(1));
    await waiting(4);
    const fifth = await from(1);
    expect([fifth.status, fifth.headers.get('retry-after')]).toEqual([429, '5']);
    for (let n = 4; n < 50; n += 1) asked.push(from(2 + Math.floor(n / 4)));
    await waiting(50);
    const more = await from(200);
    expect([more.status, await more.json()]).toEqual([
      503,
      expect.objectContaining({ code: 'waits_full' }),
    ]);
    expect(await wait(runId, FIRST, 1)).toMatchObject({ status: 200 });
    release();
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses).toEqual(Array<number>(50).fill(200));
    await waiting(0);
    expect((await from(1)).status).toBe(200);
  });

  it('a hundred wait in all', async () => {
    const asked: Promise<Awaited<ReturnType<typeof wait>>>[] = [];
    for (let n = 0; n < SENDERS; n += 1) {
      const runId = await accepted(secretOf(n));
      const places = n === SENDERS - 1 ? 1 : 4;
      for (let place = 0; place < places; place += 1) asked.push(wait(runId, secretOf(n)));
    }
    expect(asked).toHaveLength(101);
    expect(await Promise.race(asked)).toMatchObject({ status: 503, code: 'waits_full' });
    await waiting(100);
    release();
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    await waiting(0);
  });

  it('a client that goes away gives its place back', async () => {
    const runId = await accepted();
    const leave = new AbortController();
    const gone = Array.from({ length: 4 }, () =>
      fetch(`${hooks.url}/hooks/runs/${runId}?wait=60`, {
        headers: { authorization: `Bearer ${FIRST}` },
        signal: leave.signal,
      }).catch((error: Error) => error.name),
    );
    await waiting(4);
    leave.abort();
    expect(await Promise.all(gone)).toEqual(Array(4).fill('AbortError'));
    await waiting(0);
    expect(await wait(runId, FIRST, 1)).toMatchObject({ status: 200 });
    await eventually('their ends are told', () => {
      return hooks.log.lines.filter((line) => line.includes('499')).length === 4;
    });
  });

  it('a stop ends it: the run is told as it stands, nothing is cut, and nobody waits any more', async () => {
    const runId = await accepted();
    const held = wait(runId);
    await waiting(1);
    const closed = hooks.app.close();
    expect(await held).toMatchObject({ status: 200, runId, finishedAt: null });
    expect(await wait(runId)).toMatchObject({ status: 200, finishedAt: null });
    release();
    await closed;
  });
});
