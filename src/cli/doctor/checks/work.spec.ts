import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DoctorDirectory } from '../../../../test/support/doctor-directory.ts';
import { burst } from './burst.ts';
import { disk, nearestExisting } from './machine.ts';
import { programs, transforms } from './configuration.ts';
import { unsafeContent } from './foreign-content.ts';

let dir: DoctorDirectory;
beforeEach(() => (dir = new DoctorDirectory()));
afterEach(() => dir[Symbol.dispose]());

const MAPPING = { id: 'm', transform: { module: 'm.mjs' } };

describe('doctor: transforms', () => {
  it('tells one that does not compile', async () => {
    dir.configure({ hooks: { mappings: [MAPPING] } });
    expect(await dir.findings(transforms)).toMatchObject([
      { severity: 'error', what: expect.stringContaining('hooks.mappings[0].transform') },
    ]);
  });

  it('counts those that do', async () => {
    const code = 'export default () => null;';
    dir.configure({ hooks: { mappings: [MAPPING] } });
    mkdirSync(join(dir.path, 'transforms'));
    dir.write('transforms/m.mjs', code);
    expect(await dir.findings(transforms)).toMatchObject([
      { severity: 'ok', what: '1 found and compiled' },
    ]);
  });
});

describe('doctor: programs', () => {
  it('tells a runner and an MCP server that PATH does not find', async () => {
    const runner = { type: 'command', command: 'no-such-program' };
    const tools = { mcp: { a: { command: '/no/such/server' } } };
    dir.configure({
      agents: {
        list: [
          { id: 'a', runner },
          { id: 'b', tools },
        ],
      },
    });
    expect(await dir.findings(programs)).toMatchObject([
      { severity: 'error', what: expect.stringContaining('agents.list[0].runner.command') },
      { severity: 'error', what: expect.stringContaining('agents.list[1].tools.mcp.a.command') },
    ]);
  });

  it('is content with one that is there', async () => {
    const runner = { type: 'command', command: process.execPath };
    dir.configure({ agents: { list: [{ id: 'a', runner }] } });
    expect(await dir.findings(programs)).toMatchObject([{ severity: 'ok' }]);
  });
});

describe('doctor: unsafe-content', () => {
  it('lists every hook without the boundary', async () => {
    const mappings = [{ id: 'a', allowUnsafeExternalContent: true }, { id: 'b' }];
    dir.configure({ hooks: { mappings } });
    expect(await dir.findings(unsafeContent)).toMatchObject([
      { severity: 'warning', what: expect.stringMatching(/^hooks\.mappings\[0\] \(a\) /) },
    ]);
  });

  it('is content without one', async () => {
    expect(await dir.configure().findings(unsafeContent)).toMatchObject([{ severity: 'ok' }]);
  });
});

describe('doctor: burst', () => {
  it('says how long a thousand runs could last', async () => {
    dir.configure({ agents: { defaults: { maxConcurrent: 10, timeoutSeconds: 60 } } });
    expect(await dir.findings(burst)).toMatchObject([
      { severity: 'info', what: expect.stringMatching(/^10 turns .* would last 100 minutes$/) },
    ]);
  });

  it('counts no more places than all services together may have', async () => {
    const defaults = { maxConcurrent: 10, maxConcurrentTotal: 5, timeoutSeconds: 60 };
    dir.configure({ agents: { defaults } });
    expect(await dir.findings(burst)).toMatchObject([
      { what: expect.stringMatching(/^5 turns /), fix: expect.stringContaining('Total') },
    ]);
  });

  it('warns of few places for wakes, and counts what transforms hold', async () => {
    const agents = { defaults: { maxSystemEvents: 5, maxConcurrent: 1, timeoutSeconds: 86_400 } };
    dir.configure({ agents, hooks: { mappings: [MAPPING] } });
    mkdirSync(join(dir.path, 'transforms'));
    dir.write('transforms/m.mjs', 'export default () => null;');
    expect(await dir.findings(burst)).toMatchObject([
      { severity: 'info' },
      { severity: 'warning', what: expect.stringContaining('only 5 wakes') },
      { severity: 'info', what: expect.stringContaining('transforms hold 20 requests') },
      { severity: 'info', what: expect.stringContaining('72 h') },
      { severity: 'info', what: expect.stringMatching(/^an event of \S+ costs two model calls/) },
    ]);
  });

  it('says of no mapping that its events cost twice where their summaries wait', async () => {
    const twice = async (hooks: object) => {
      dir.configure({ hooks });
      return (await dir.findings(burst)).filter(({ what }) => what.includes('two model calls'));
    };
    const plain = { id: 'plain', messageTemplate: '{{ text }}' };
    expect(await twice({ mappings: [plain] })).toHaveLength(1);
    for (const one of [{ wakeMode: 'next-heartbeat' }, { deliver: false }, { action: 'ignore' }])
      expect(await twice({ mappings: [{ ...plain, ...one }] })).toEqual([]);
    expect(await twice({ mappings: [plain], defaults: { wakeMode: 'next-heartbeat' } })).toEqual(
      [],
    );
  });
});

describe('doctor: disk', () => {
  it('looks where the data directory would be made', async () => {
    dir.configure({ store: { dir: 'not/there/yet' } });
    expect(nearestExisting(`${dir.path}/not/there/yet`)).toBe(dir.path);
    const [finding] = await dir.findings(disk);
    expect(finding?.what).toMatch(/MB are free for .*not\/there\/yet$/);
  });
});
