import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { Hooks, TOKEN } from '../support/hooks.ts';
import { PostgresSuite } from './suite.ts';

const suite = PostgresSuite.inThisFile();

describe('hooks simulate, of a ledger in PostgreSQL', () => {
  it('says what changes, beside a service', async () => {
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
      hooks.runner.extras = { usage: { inputTokens: 100, outputTokens: 10 } };
      const { eventId } = await hooks.ask('/check', { host: 'db1' });
      await hooks.ended(eventId);
      const simulate = (config: string) =>
        hooksCall(['simulate', '--config', config, '--json'], { cwd: old.path });
      const same = await simulate(old.path);
      expect(same).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(same.stdout)).toMatchObject({ events: 1, after: { tokens: 110 } });
      const other = await simulate(next.path);
      expect(other).toMatchObject({ code: 1, stderr: '' });
      expect(JSON.parse(other.stdout)).toMatchObject({ changed: 1, after: { unknown: 1 } });
      expect(await hooks.stored()).toBe(1);
    } finally {
      await hooks.close();
    }
  });
});
