import { OperatorRequests } from '../../src/hooks/index.ts';
import { Hooks } from '../support/hooks.ts';

let hooks: Hooks;

afterEach(() => hooks.close());

describe('POST /hooks/<name>, with conditions (behaviour §2, §7)', () => {
  beforeEach(async () => {
    hooks = await Hooks.start({
      mappings: [
        {
          id: 'opened',
          match: { path: 'repo' },
          when: {
            'headers.x-event': 'pull_request',
            'payload.action': ['opened', 'reopened'],
            'payload.labels[].name': { any: 'agent' },
          },
          messageTemplate: 'Review {{ title }}',
        },
        {
          id: 'closed',
          match: { path: 'repo' },
          when: { 'headers.x-event': 'pull_request', 'payload.action': 'closed' },
          action: 'ignore',
        },
        {
          id: 'pushed',
          match: { path: 'repo' },
          when: { 'headers.x-event': 'push', 'query.team': { startsWith: 'op' } },
          action: 'wake',
          textTemplate: 'Push to {{ ref }}',
        },
      ],
    });
  });

  const opened = {
    action: 'opened',
    title: 'Fix it',
    labels: [{ name: 'bug' }, { name: 'agent' }],
  };
  const pull = { 'x-event': 'pull_request' };

  it('the first mapping whose conditions all say yes takes it', async () => {
    const { eventId } = await hooks.ask('/repo', opened, pull);
    const details = await hooks.ended(eventId);
    expect(details).toMatchObject({ mapping: 'opened', status: 'done', skipped: null });
    expect(details.runs[0]?.prompt).toContain('Review Fix it');
    const wake = await hooks.ask('/repo?team=ops', { ref: 'main' }, { 'x-event': 'push' });
    expect(wake).toMatchObject({ status: 200, mode: 'now' });
    expect(await hooks.details(wake['eventId'])).toMatchObject({ mapping: 'pushed' });
  });

  it.each([
    [
      'a value',
      { ...opened, action: 'labeled' },
      pull,
      'opened (payload.action), closed (payload.action), pushed (headers.x-event)',
    ],
    [
      'a header',
      opened,
      {},
      'opened (headers.x-event), closed (headers.x-event), pushed (headers.x-event)',
    ],
  ])(
    'a condition on %s says no: 200, skipped, and nothing happens',
    async (_, body, headers, who) => {
      const answer = await hooks.ask('/repo', body, headers);
      const { eventId } = answer;
      const reason = `no mapping takes it, because of their conditions: ${who}`;
      expect(answer).toEqual({ status: 200, ok: true, skipped: true, reason, eventId });
      expect(await hooks.details(eventId)).toMatchObject({
        hook: 'repo',
        status: 'skipped',
        skipped: reason,
        mapping: null,
        actions: [],
        request: { payload: body },
      });
      expect(hooks.journal).toEqual([]);
      expect(await hooks.waiting('run')).toBe(0);
    },
  );

  it('an ignoring mapping ends it on purpose: 200, skipped, and nothing happens', async () => {
    const answer = await hooks.ask('/repo', { action: 'closed' }, pull);
    const { eventId } = answer;
    const reason = 'its mapping says ignore';
    expect(answer).toEqual({ status: 200, ok: true, skipped: true, reason, eventId });
    expect(await hooks.details(eventId)).toMatchObject({
      status: 'skipped',
      skipped: reason,
      mapping: 'closed',
      actions: [],
    });
    expect(hooks.journal).toEqual([]);
  });

  it('neither answer nor log nor story tells a value that a condition found or asked for', async () => {
    const { eventId, reason } = await hooks.ask('/repo', { action: 'kept to itself' }, pull);
    expect(reason).not.toMatch(/kept to itself|reopened/u);
    expect((await hooks.details(eventId)).skipped).toBe(reason);
  });

  it('a skipped event can be replayed, and is skipped again', async () => {
    const { eventId } = await hooks.ask('/repo', {}, pull);
    const replayed = await hooks.app.get(OperatorRequests).replay(String(eventId));
    expect(replayed).toMatchObject({
      outcome: 'replayed',
      answer: { status: 200, body: { skipped: true } },
    });
    expect(hooks.journal).toEqual([]);
  });
});
