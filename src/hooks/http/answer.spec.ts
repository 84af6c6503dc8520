import type { ActionReceipt } from '../ports/index.ts';
import { toAnswer } from './answer.ts';

function answer(actions: ActionReceipt[], over: { isReplay?: boolean; warnings?: string[] } = {}) {
  const { isReplay = false, warnings = [] } = over;
  return toAnswer({ receipt: { eventId: 'e1', actions, warnings }, isReplay });
}

const run = (runId: string): ActionReceipt => ({ kind: 'agent', runId });

describe('toAnswer (behaviour §2)', () => {
  it('wake: 200 with mode and event', () => {
    expect(answer([{ kind: 'wake', mode: 'now' }])).toEqual({
      status: 200,
      body: { ok: true, mode: 'now', eventId: 'e1' },
      eventId: 'e1',
    });
  });

  it('agent: 200 with run and event', () => {
    expect(answer([run('r1')])).toEqual({
      status: 200,
      body: { ok: true, runId: 'r1', eventId: 'e1' },
      eventId: 'e1',
    });
  });

  it('several actions: every run, the first one by itself', () => {
    expect(answer([run('r1'), run('r2')]).body).toEqual({
      ok: true,
      runId: 'r1',
      runIds: ['r1', 'r2'],
      eventId: 'e1',
    });
  });

  it('several wakes: no runs', () => {
    const wake = { kind: 'wake', mode: 'next-heartbeat' } as const;
    expect(answer([wake, wake]).body).toEqual({ ok: true, mode: 'next-heartbeat', eventId: 'e1' });
  });

  it('nothing to do: 204 without a body, the event in a header', () => {
    expect(answer([])).toEqual({ status: 204, eventId: 'e1', headers: { 'event-id': 'e1' } });
  });

  it('nothing to do, told: 200 with the reason', () => {
    const receipt = {
      eventId: 'e1',
      actions: [],
      skipped: { reason: 'items is empty', isSilent: false },
      warnings: ['w'],
    };
    const body = {
      ok: true,
      skipped: true,
      reason: 'items is empty',
      eventId: 'e1',
      warnings: ['w'],
    };
    expect(toAnswer({ receipt, isReplay: false })).toEqual({ status: 200, body, eventId: 'e1' });
    const headers = { 'idempotent-replayed': 'true' };
    expect(toAnswer({ receipt, isReplay: true })).toEqual({
      status: 200,
      body,
      eventId: 'e1',
      headers,
    });
  });

  it('nothing to do, silent: 204', () => {
    const skipped = { reason: 'its transform says so', isSilent: true };
    const receipt = { eventId: 'e1', actions: [], skipped, warnings: [] };
    expect(toAnswer({ receipt, isReplay: false })).toEqual(answer([]));
  });

  it('a repeat: the first answer again and the header', () => {
    const first = answer([run('r1')], { warnings: ['w'] });
    expect(answer([run('r1')], { warnings: ['w'], isReplay: true })).toEqual({
      ...first,
      headers: { 'idempotent-replayed': 'true' },
    });
    expect(answer([], { isReplay: true })).toMatchObject({
      status: 204,
      headers: { 'event-id': 'e1', 'idempotent-replayed': 'true' },
    });
  });

  it('names warnings only when there are any', () => {
    expect(answer([run('r1')], { warnings: ['unknown field x ignored'] }).body).toMatchObject({
      warnings: ['unknown field x ignored'],
    });
    expect(answer([run('r1')]).body).not.toHaveProperty('warnings');
  });
});
