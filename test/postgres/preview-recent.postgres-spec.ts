import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { Hooks, TOKEN } from '../support/hooks.ts';
import { PostgresSuite } from './suite.ts';

const suite = PostgresSuite.inThisFile();

describe('hooks preview --recent, of a ledger in PostgreSQL', () => {
  it('says what becomes of its events, beside a service', async () => {
    await using database = await suite.server.database();
    using old = new ConfigDirectory();
    using next = new ConfigDirectory();
    const check = { id: 'check', messageTemplate: '{{ host }} is down', deliver: false } as const;
    const written = (mapping: object) => ({
      hooks: { enabled: true, token: TOKEN, mappings: [mapping] },
      agents: { defaults: { runner: { type: 'demo' } } },
      store: { dir: './data', postgres: { url: database.url } },
    });
    old.write('gateway.json5', written(check));
    next.write('gateway.json5', written({ ...check, instructions: 'Be short.' }));
    const hooks = await Hooks.start({
      mappings: [check],
      defaultSessionKey: undefined,
      ledger: postgresLedger({ url: database.url }),
    });
    try {
      const { eventId: event } = await hooks.ask('/check', { host: 'db1' });
      await hooks.ended(event);
      const tried = async (config: string) => {
        const args = ['preview', '--recent', '10', '--config', config, '--json'];
        const { code, stdout, stderr } = await hooksCall(args, { cwd: old.path });
        return { code, stderr, ...JSON.parse(stdout) };
      };
      const same = { event, hook: 'check', verdict: 'same', differences: [] };
      expect(await tried(old.path)).toMatchObject({ code: 0, stderr: '', events: [same] });
      const other = { ...same, verdict: 'other prompt', differences: [{ what: 'prompt' }] };
      expect(await tried(next.path)).toMatchObject({ code: 1, stderr: '', events: [other] });
      expect(await hooks.stored()).toBe(1);
    } finally {
      await hooks.close();
    }
  });
});
