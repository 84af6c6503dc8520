import { CapturedLogs } from '../../../test/support/captured-logs.ts';
import { ManualClock } from '../../../test/support/clocks.ts';
import { TOO_LARGE } from '../../../test/support/refused.ts';
import { KEPT_REFUSALS } from '../ports/index.ts';
import type { NewRefusal } from '../ports/index.ts';
import { RefusalInbox } from './refusal-inbox.ts';
import type { Refused } from './refusal-inbox.ts';

let clock: ManualClock;
let inbox: RefusalInbox;
let logs: CapturedLogs;
beforeEach(() => {
  clock = new ManualClock();
  inbox = new RefusalInbox(clock);
  logs = new CapturedLogs();
});
afterEach(() => logs[Symbol.dispose]());

const LINE = { event: null, reason: 'a sentence', ms: 1 };

function sender(given: Partial<Refused> = {}): Refused {
  const { kind: _kind, count: _count, ...refused } = TOO_LARGE;
  return { ...refused, ...given };
}

function stranger(given: Partial<Refused> = {}): Refused {
  return sender({ status: 401, code: 'unauthorized', verifiedBy: null, ...given });
}

function add(...refusals: Refused[]): void {
  for (const refused of refusals) inbox.add(refused, LINE);
}

function takeAll(): NewRefusal[] {
  const all: NewRefusal[] = [];
  for (let rows = inbox.take(); rows.length > 0; rows = inbox.take()) all.push(...rows);
  return all;
}

describe('RefusalInbox', () => {
  it('sums up known tokens that may not speak here by their names', () => {
    const known = stranger({ verifiedBy: 'token ci', reason: 'token ci may not speak' });
    add(stranger(), known, known, { ...known, verifiedBy: 'token b' });
    add({ ...known, status: 429, code: 'too_many_auth_failures' });
    expect(inbox.take()).toMatchObject([
      { kind: 'unverified', verifiedBy: null, count: 1 },
      { kind: 'unverified', verifiedBy: 'token ci', reason: 'token ci may not speak', count: 2 },
      { kind: 'unverified', verifiedBy: 'token b', count: 1 },
      { kind: 'unverified', verifiedBy: 'token ci', status: 429, count: 1 },
    ]);
  });

  it('counts no stranger under the name of a token, also where there are too many to tell apart', () => {
    for (let n = 0; n < 1000; n += 1) add(stranger({ client: `192.0.2.${n}` }));
    add(stranger({ client: 'a', verifiedBy: 'token ci', reason: 'token ci may not speak' }));
    for (let n = 0; n < 50; n += 1) add(stranger({ client: `198.51.100.${n}` }));
    const rows = takeAll();
    expect(rows.slice(1000)).toMatchObject([
      { client: null, verifiedBy: 'token ci', reason: 'token ci may not speak', count: 1 },
      { client: null, verifiedBy: null, count: 50 },
    ]);
  });

  it('stays small under 100,000 guesses of as many addresses, and loses no sender to them', () => {
    add(sender());
    for (let n = 0; n < 100_000; n += 1) {
      add(stranger({ client: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}` }));
    }
    add(sender({ hook: 'github' }));
    // Each group of strangers has had its line: a thousand, and one for all that were not told apart.
    expect(logs.lines).toHaveLength(1000 + 1 + 2);
    const rows = takeAll();
    expect(rows).toHaveLength(1000 + 1 + 2);
    expect(rows.filter(({ kind }) => kind === 'lost')).toMatchObject([
      { hook: 'alertmanager' },
      { hook: 'github' },
    ]);
    const rest = rows.find(({ client }) => client === null);
    expect(rest).toMatchObject({ hook: null, code: 'unauthorized', count: 99_000 });
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(100_002);
    for (let minute = 0; minute < 2; minute += 1) {
      clock.advance(60_000);
      inbox.tellRepeats();
    }
    expect(inbox.isEmpty).toBe(true);
  });

  it('keeps the newest of a flood of verified senders, and what was lost whatever else failed', () => {
    add(sender({ bytes: -1 }));
    for (let n = 0; n < KEPT_REFUSALS + 5; n += 1) add(sender({ status: 503, bytes: n }));
    const rows = takeAll();
    expect(rows).toHaveLength(KEPT_REFUSALS + 1);
    expect(rows[0]).toMatchObject({ kind: 'lost', bytes: -1 });
    expect(rows[1]).toMatchObject({ kind: 'failed', bytes: 5 });
  });

  it('sums up whoever was answered 401, also where a signature was right and came before', () => {
    add(sender({ status: 401, code: 'signature_reused', verifiedBy: 'github' }));
    expect(inbox.take()).toMatchObject([{ kind: 'unverified', code: 'signature_reused' }]);
  });

  it('hands on at most a thousand at a time', () => {
    for (let n = 0; n < 1500; n += 1) add(sender({ bytes: n }));
    expect(inbox.take()).toHaveLength(1000);
    expect(inbox.take()).toHaveLength(500);
  });

  it('hands on again what could not be stored, in the same order and with the same sums', () => {
    add(sender({ bytes: 1 }), stranger(), stranger());
    const taken = inbox.take();
    add(sender({ bytes: 2 }), stranger());
    inbox.putBack(taken);
    expect(inbox.take()).toMatchObject([{ bytes: 1 }, { bytes: 2 }, { count: 3 }]);
  });

  it('does not grow while nothing can be stored', () => {
    for (let minute = 0; minute < 5; minute += 1) {
      for (let n = 0; n < 3000; n += 1) add(sender(), stranger({ client: `${minute}.${n}` }));
      const taken = takeAll();
      expect(taken.length).toBeLessThanOrEqual(KEPT_REFUSALS + 1001);
      inbox.putBack(taken);
      clock.advance(60_000);
      inbox.tellRepeats();
    }
    expect(takeAll().filter(({ kind }) => kind === 'lost')).toHaveLength(KEPT_REFUSALS);
  });

  it('logs the first of a client, hook and code, then a count per minute', () => {
    add(sender(), sender(), sender(), sender({ client: '192.0.2.8' }));
    expect(logs.lines).toEqual([
      'warn {"event":null,"hook":"alertmanager","client":"192.0.2.7","status":413,"code":"payload_too_large","reason":"a sentence","ms":1}',
      expect.stringContaining('"client":"192.0.2.8"'),
    ]);
    clock.advance(59_000);
    inbox.tellRepeats();
    expect(logs.lines).toHaveLength(2);
    clock.advance(1000);
    inbox.tellRepeats();
    expect(logs.lines.slice(2)).toEqual([
      'warn {"hook":"alertmanager","client":"192.0.2.7","status":413,"code":"payload_too_large","count":2,"msg":"refused again"}',
    ]);
    add(sender());
    clock.advance(60_000);
    inbox.tellRepeats();
    expect(logs.lines).toHaveLength(4);
    expect(logs.lines[3]).toContain('"count":1');
    clock.advance(60_000);
    inbox.tellRepeats();
    add(sender());
    expect(logs.lines[4]).toContain('"reason"');
  });

  it('logs and forgets by the minute though the clock is set back', () => {
    add(sender(), sender());
    takeAll();
    clock.jump(-86_400_000);
    for (let minute = 0; minute < 2; minute += 1) {
      clock.advance(60_000);
      inbox.tellRepeats();
    }
    expect(logs.lines.slice(1)).toEqual([expect.stringContaining('"count":1')]);
    expect(inbox.isEmpty).toBe(true);
  });

  it('is empty at the beginning, and calls its listener with each refusal', () => {
    expect(inbox.isEmpty).toBe(true);
    let calls = 0;
    inbox.onFilled(() => (calls += 1));
    add(sender(), stranger());
    expect(calls).toBe(2);
    expect(inbox.isEmpty).toBe(false);
  });
});
