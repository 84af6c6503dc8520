import { readFileSync } from 'node:fs';
import { Hooks } from '../support/hooks.ts';

const ROOT = `${import.meta.dirname}/../..`;
const payload = readFileSync(`${ROOT}/transforms/build-report.payload.json`, 'utf8');
const report = JSON.parse(payload) as Record<string, unknown>;

let hooks: Hooks;

beforeAll(async () => {
  hooks = await Hooks.start({
    configDir: ROOT,
    mappings: [
      { id: 'build', sessionKey: 'hook:build:', transform: { module: 'build-report.ts' } },
    ],
  });
});
afterAll(() => hooks.close());

describe('transforms/build-report.ts', () => {
  it('makes a run of a failure', async () => {
    const { eventId } = await hooks.ask('/build', report);
    const details = await hooks.ended(eventId);
    expect(details.runs[0]).toMatchObject({ sessionKey: 'hook:build:release/2.1' });
    expect(details.runs[0]?.prompt).toContain('Build 4711 of release/2.1 failed.\n\n- login ›');
    expect(details.console).toEqual(['build 4711 of release/2.1: 2 failures']);
  });

  it('makes a wake of a recovery and nothing of the rest', async () => {
    const fixed = await hooks.ask('/build', { ...report, status: 'fixed' });
    expect(fixed).toMatchObject({ status: 200, mode: 'next-heartbeat' });
    expect((await hooks.ask('/build', { status: 'running' })).status).toBe(204);
    expect((await hooks.ask('/build', {})).status).toBe(204);
  });
});
