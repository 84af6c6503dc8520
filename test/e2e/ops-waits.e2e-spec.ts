import type { WaitingRun } from '../../src/hooks/index.ts';
import { OPERATOR_TOKEN, OperatedService } from '../support/operated-service.ts';

const WAIT: WaitingRun = {
  id: '0198c5c2-0000-7000-8000-000000000001',
  kind: 'reply',
  openedAt: '2026-01-01T00:00:00.000Z',
  until: '2026-01-02T00:00:00.000Z',
  whenOver: 'deny',
  recipient: { channel: 'chan_2', to: '42' },
  calls: [],
  decision: null,
  eventId: 'event-1',
  runId: 'run-1',
  agentId: 'main',
  hook: 'github',
  mapping: 'push',
  text: 'Merged.',
  request: null,
};
const DECIDE = `/ops/api/waits/${WAIT.id}/decide`;
const decided = (service: OperatedService): string[] =>
  service.ledger.journal.filter((line) => line.startsWith('decide'));

describe('what waits for a decision (ops/api/waits)', () => {
  it('is listed, a page at a time, and needs a person', async () => {
    await using service = await OperatedService.start();
    service.ledger.waits = [WAIT, { ...WAIT, id: 'another' }];
    const { status, body } = await service.get('/ops/api/waits?limit=1');
    const page = { waits: [WAIT], total: 2, nextCursor: 'next' };
    expect({ status, body }).toEqual({ status: 200, body: page });
    const [item] = (await service.get('/ops/api/attention')).body['items'] as object[];
    expect(item).toMatchObject({
      kind: 'decisions-open',
      what: '2 runs wait for a decision',
      since: WAIT.openedAt,
      count: 2,
    });
  });

  it('is told apart where our own replies caused it', async () => {
    await using service = await OperatedService.start();
    const since = Date.parse(WAIT.openedAt);
    const held = { kind: 'run', hook: 'push', waitsFor: null, count: 2, since } as const;
    service.ledger.waiting = [
      { ...held, cause: 'loop' },
      { ...held, cause: 'decision' },
    ];
    const { items } = (await service.get('/ops/api/attention')).body;
    expect(items).toMatchObject([
      {
        kind: 'loop-held',
        what: 'our own replies come back as events of push, and 2 runs are held',
        since: WAIT.openedAt,
        hook: 'push',
      },
    ]);
  });

  it('is decided by name, and no second copy of the words is written into the audit', async () => {
    await using service = await OperatedService.start();
    service.ledger.decision = 'decided';
    const text = 'Thanks, merged.';
    const { status } = await service.post(DECIDE, { body: { verdict: 'approved', text } });
    expect(status).toBe(200);
    expect(decided(service)).toEqual([
      `decide ${WAIT.id} {"verdict":"approved","by":"operator","text":"${text}"}`,
    ]);
    expect(service.ledger.audit).toMatchObject([
      { subject: WAIT.id, after: { verdict: 'approved', isEdited: true } },
    ]);
    expect(JSON.stringify(service.ledger.audit)).not.toContain(text);
  });

  it.each([
    ['unknown', 404, 'unknown_wait'],
    ['decided-before', 409, 'decided_before'],
    ['over', 409, 'wait_over'],
  ] as const)('is refused when it is %s', async (outcome, status, code) => {
    await using service = await OperatedService.start();
    service.ledger.decision = outcome;
    const answer = await service.post(DECIDE, { body: { verdict: 'denied' } });
    expect(answer).toMatchObject({ status, body: { code } });
    expect(service.ledger.audit).toMatchObject([{ subject: WAIT.id, outcome: code, after: null }]);
  });

  it('is decided by those of the role that its approvers name, and by no others', async () => {
    const others = (['operate', 'configure'] as const).map((role) => ({
      id: role,
      role,
      token: `${role}-token-of-good-length`,
    }));
    await using service = await OperatedService.start({
      tokens: () => ({ operator: OPERATOR_TOKEN, others }),
    });
    service.ledger.decision = 'decided';
    service.ledger.approvers = ['telegram:1', 'configure'];
    const body = { verdict: 'approved' };
    const asked = { body, token: others[0]!.token };
    const refused = await service.post(DECIDE, asked);
    expect(refused).toMatchObject({ status: 403, body: { code: 'role_too_low' } });
    expect(decided(service)).toEqual([]);
    expect(service.ledger.audit).toMatchObject([{ outcome: 'role_too_low', after: null }]);
    expect(await service.post(DECIDE, { ...asked, token: others[1]!.token })).toMatchObject({
      status: 200,
    });
    service.ledger.approvers = ['telegram:1'];
    expect(await service.post(DECIDE, asked)).toMatchObject({ status: 200 });
    expect(decided(service)).toHaveLength(2);
  });

  it.each([
    ['no verdict', {}],
    ['another verdict', { verdict: 'expired' }],
    ['words of a reply that is not sent', { verdict: 'denied', text: 'no' }],
    ['a blank reply', { verdict: 'approved', text: ' ' }],
    ['a reason of a whole page', { verdict: 'denied', reason: 'x'.repeat(1001) }],
    ['a field of nothing', { verdict: 'denied', by: 'the king' }],
  ])('is not decided by a body with %s', async (_what, body) => {
    await using service = await OperatedService.start();
    service.ledger.decision = 'decided';
    const answer = await service.post(DECIDE, { body });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
    expect(decided(service)).toEqual([]);
  });
});
