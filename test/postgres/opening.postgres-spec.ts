import { lookAtPostgres, postgresLedger } from '../../src/ledger/postgres/index.ts';
import { SystemClock } from '../../src/hooks/ports/clock.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { PostgresSuite } from './suite.ts';

describe('A database that cannot be used', () => {
  const suite = PostgresSuite.inThisFile({ tcp: true });
  const open = (url: string) => postgresLedger({ url }).open(new SystemClock());

  it('is named without its password, with what is wrong and what to do', async () => {
    const { server } = suite;
    const [port] = [server.port];
    await expect(open('postgres://u:hidden@127.0.0.1:1/gateway')).rejects.toThrow(
      'The PostgreSQL database gateway at 127.0.0.1:1 cannot be used: the database is not running, or not there; start it, or correct its address (store.postgres.url).',
    );
    await expect(open(`postgres://postgres:hidden@127.0.0.1:${port}/nowhere`)).rejects.toThrow(
      `The PostgreSQL database nowhere at 127.0.0.1:${port} cannot be used: there is no such database; `,
    );
  });

  it('is one in which the user may make nothing', async () => {
    const { server } = suite;
    await using one = await server.database();
    await server.query('CREATE ROLE guest LOGIN');
    await expect(open(one.url.replace('postgres@', 'guest@'))).rejects.toThrow(
      /permission denied for database .*; grant this user CREATE on the database, or make the schema for it\.$/,
    );
  });

  it('ends a service with 1 and the sentence', async () => {
    using dir = new ConfigDirectory();
    const url = 'postgres://u:hidden-password@127.0.0.1:1/gateway';
    const hooks = { enabled: true, token: 'the-hook-token-of-the-tests' };
    dir.write('gateway.json5', { hooks, store: { postgres: { url } } });
    await using service = new ServiceProcess(dir.path);
    const { code, stdout, stderr } = await service.ended();
    expect(code).toBe(1);
    expect(stderr).toContain('The PostgreSQL database gateway at 127.0.0.1:1 cannot be used');
    expect(stdout + stderr).not.toContain('hidden-password');
  });

  it('is looked at by hooks doctor without a change', async () => {
    const { server } = suite;
    await using one = await server.database();
    const look = () => lookAtPostgres({ url: one.url, schema: 'hooks' });
    expect(await look()).toEqual({
      version: expect.stringMatching(/^\d+/),
      edition: null,
      unsafe: ['fsync'],
    });
    expect(await look()).toMatchObject({ edition: null });
    await expect(
      lookAtPostgres({ url: 'postgres://u@127.0.0.1:1/x', schema: 'hooks' }),
    ).rejects.toThrow('the database is not running');
  });
});
