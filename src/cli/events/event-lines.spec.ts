import { deliveryDetails, eventDetails, runDetails } from '../../../test/support/event-details.ts';
import { age, duration } from '../text-layout.ts';
import { detailLines, outcomeLines } from './event-lines.ts';

const FULL = eventDetails({
  mapping: 'm',
  status: 'failed',
  heartbeat: 'failed',
  error: 'it broke',
  summary: 'Hook: the reply',
  warnings: ['unknown field x ignored'],
  console: ['log: hi'],
  actions: [
    { kind: 'agent', message: 'Build 7\nfailed', name: 'CI', trust: { level: 'untrusted' } },
    { kind: 'wake', text: 'disk full' },
  ],
  request: {
    ...eventDetails().request,
    replayOf: 'e0',
    headers: { 'x-a': 'b' },
    payload: { c: 'd' },
  },
  runs: [
    runDetails({
      status: 'failed',
      error: 'no model',
      usage: { inputTokens: 5, outputTokens: 6 },
      warnings: ['no thinking'],
      toolCalls: [{ tool: 't', input: '{}', outcome: 'failed', result: 'no', ms: 3 }],
      notes: [{ at: '2026-01-01T10:00:02.000Z', attempt: 1, outcome: 'retry', error: 'busy' }],
      contract: { trust: 'untrusted', verifiedBy: 'token', allowedTools: [], mayDeliverTo: null },
    }),
    runDetails({ id: 'r2' }),
  ],
  deliveries: [deliveryDetails({ status: 'dead', messageId: null, error: 'blocked' })],
});

describe('outcomeLines', () => {
  it('tell an event from its acceptance to its end, in order of time', () => {
    const details = eventDetails({
      runs: [runDetails()],
      deliveries: [deliveryDetails()],
      heartbeat: 'done',
    });
    expect(outcomeLines(details)).toEqual([
      'Event e1 done',
      '  hook      ci',
      '  received  2026-01-01T10:00:00.000Z, verified by token',
      '',
      'Timeline (UTC)',
      '  10:00:00.000  accepted from 127.0.0.1',
      '  10:00:01.000  run began: agent main, session hook:x',
      '  10:00:03.500  run succeeded after 2.5 s by demo',
      '  10:00:04.000  delivery to chan_1 (+49): delivered as message 17',
      '                heartbeat done',
    ]);
  });

  it('tell what waits for leave, what was decided, and by whom', () => {
    const about = {
      openedAt: '2026-01-01T10:00:02.000Z',
      until: '2026-01-02T10:00:02.000Z',
    } as const;
    const wait = {
      ...about,
      whenOver: 'deny',
      recipient: null,
      calls: [],
      key: null,
      question: null,
    } as const;
    const taken = {
      verdict: 'denied',
      by: 'ana',
      at: '2026-01-01T10:00:03.000Z',
      text: null,
      event: null,
    } as const;
    const waits = [
      { ...wait, id: 'w1', kind: 'run', decision: { ...taken, verdict: 'approved', reason: null } },
      {
        ...wait,
        id: 'w2',
        kind: 'tools',
        calls: [{ tool: 'desk_write', input: '{}' }],
        decision: { ...taken, reason: 'too early' },
      },
      {
        ...wait,
        id: 'w3',
        kind: 'reply',
        recipient: { channel: 'chan_1', to: '+49' },
        decision: null,
      },
      {
        ...wait,
        id: 'w4',
        kind: 'run',
        decision: { ...taken, verdict: 'expired', by: null, reason: 'replaced by run r2' },
      },
    ] as const;
    const run = runDetails({ status: 'waiting', finishedAt: null, waits });
    const lines = outcomeLines(eventDetails({ status: 'waiting', runs: [run] }));
    expect(lines.filter((line) => /leave|ana|decide/.test(line))).toEqual([
      '  10:00:02.000  run waits for leave to begin',
      '  10:00:02.000  run waits for leave to call desk_write',
      '  10:00:02.000  run waits for leave to send its reply to chan_1 (+49), until 2026-01-02T10:00:02.000Z: hooks approve w3',
      '  10:00:02.000  run waits for leave to begin',
      '  10:00:03.000  run: approved by ana',
      '  10:00:03.000  run: denied by ana: too early',
      '  10:00:03.000  run: nobody has to decide any more: replaced by run r2',
    ]);
  });

  it('tell when a delivery is tried again', () => {
    const [at, nextAt] = ['2026-01-01T10:00:04.000Z', '2026-01-01T10:00:11.000Z'];
    const attempts = [{ at, attempt: 1, outcome: 'retry', error: 'busy', nextAt }] as const;
    const delivery = deliveryDetails({ status: 'pending', attempts, error: 'busy' });
    const lines = outcomeLines(eventDetails({ deliveries: [delivery] }));
    expect(lines).toContain(
      '  10:00:04.000  delivery to chan_1 (+49), attempt 1: retry, again in 7.0 s: busy',
    );
  });

  it('tell why a message went elsewhere', () => {
    const [at, error] = ['2026-01-01T10:00:04.000Z', 'the topic is gone; it went to +49'];
    const attempts = [{ at, attempt: 1, outcome: 'delivered', error }] as const;
    const lines = outcomeLines(eventDetails({ deliveries: [deliveryDetails({ attempts })] }));
    expect(lines).toContain(
      `  10:00:04.000  delivery to chan_1 (+49): delivered as message 17: ${error}`,
    );
  });

  it('tell of a message that was only accepted that nobody here knows whether it arrived', () => {
    const at = '2026-01-01T10:00:04.000Z';
    const attempts = [{ at, attempt: 1, outcome: 'accepted' }] as const;
    const lines = outcomeLines(
      eventDetails({ deliveries: [deliveryDetails({ status: 'accepted', attempts })] }),
    );
    expect(lines.filter((line) => line.includes('delivery'))).toEqual([
      '  10:00:04.000  delivery to chan_1 (+49): accepted as message 17, whether it arrived is not known here',
    ]);
  });

  it('tell what went wrong, and why', () => {
    const text = outcomeLines(FULL).join('\n');
    for (const fact of [
      'Event e1 failed',
      'ci (mapping m)',
      'replay of e0',
      'warning   unknown field x ignored',
      '10:00:02.000  run 1, attempt 1: retry: busy',
      '10:00:03.500  run 1 failed after 2.5 s by demo, 5 + 6 tokens: no model',
      'run 2 succeeded',
      'delivery to chan_1 (+49): dead: blocked',
      'heartbeat failed',
      'failed: it broke',
    ]) {
      expect(text).toContain(fact);
    }
  });

  it('paint what is bad', () => {
    const lines = outcomeLines(FULL, (colour, text) => `<${colour}>${text}`).join('\n');
    expect(lines).toContain('<red>failed');
    expect(lines).toContain('<red>heartbeat failed');
    expect(lines).toContain('  run 2 succeeded');
  });
});

describe('detailLines', () => {
  it('tell everything of it', () => {
    const text = detailLines(FULL).join('\n');
    for (const fact of [
      'Action 1\n  kind: agent',
      'Action 1: text\n  Build 7\n  failed',
      'Action 2: text\n  disk full',
      'trust: {"level":"untrusted"}',
      'Run 1: prompt\n  the prompt',
      'Run 2: reply\n  the reply',
      't failed in 3 ms\n    {}\n    = no',
      'Run 1: warnings\n  no thinking',
      'Summary\n  Hook: the reply',
      'Console\n  log: hi',
      'headers: {"x-a":"b"}',
      '"c": "d"',
    ]) {
      expect(text).toContain(fact);
    }
  });

  it('say that a payload may be forgotten', () => {
    const details = eventDetails({ request: { ...eventDetails().request, payload: null } });
    expect(detailLines(details).join('\n')).toContain('null, or forgotten');
  });
});

describe('durations', () => {
  it.each([
    [-5, '0 ms'],
    [870, '870 ms'],
    [59_999, '59.9 s'],
    [184_000, '3 min 4 s'],
    [7_500_000, '2 h 5 min'],
  ])('%i ms are %s', (ms, text) => expect(duration(ms)).toBe(text));

  it.each([
    ['2026-01-03T00:00:01Z', '0s'],
    ['2026-01-02T23:48:00Z', '12m'],
    ['2026-01-01T12:00:00Z', '36h'],
    ['2025-11-24T00:00:00Z', '40d'],
  ])('%s is %s ago', (at, text) => expect(age(at, Date.parse('2026-01-03T00:00:00Z'))).toBe(text));
});
