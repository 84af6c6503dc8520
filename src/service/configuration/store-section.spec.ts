import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { ConfigurationError } from '../../hooks/index.ts';
import { inspectConfiguration } from './inspect.ts';
import { loadConfiguration } from './load.ts';
import { listSecrets } from './secrets.ts';
import { showConfiguration } from './shown.ts';

const PASSWORD = 'right-password-of-the-database';
const LOCAL = `postgres://hooks:${PASSWORD}@127.0.0.1/gateway`;

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

function write(store: object, gateway: object = {}): void {
  const hooks = { enabled: true, token: 'the-hook-token-of-the-tests' };
  const agents = { defaults: { model: 'auto' } };
  dir.write('gateway.json5', { hooks, agents, gateway, store });
}

async function problems(postgres: unknown): Promise<string[]> {
  write({ postgres });
  try {
    await loadConfiguration(dir.path, {});
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.map(({ key, message }) => `${key} ${message}`);
  }
}

async function warnings(url: string, gateway: object = {}): Promise<string[]> {
  write({ postgres: { url } }, gateway);
  const { warnings } = await loadConfiguration(dir.path, {});
  return warnings.map(({ key, message }) => `${key} ${message}`);
}

describe('store.postgres', () => {
  it('takes its address from a variable and fills in the rest', async () => {
    write({ postgres: { url: '${DATABASE_URL}' } });
    const { store } = await loadConfiguration(dir.path, { DATABASE_URL: LOCAL });
    expect(store.postgres).toEqual({ url: LOCAL, schema: 'hooks', connections: 10 });
  });

  it.each([
    ['no address', {}, 'store.postgres.url must be a string'],
    ['another database', { url: 'mysql://db/x' }, 'store.postgres.url must be postgres://'],
    ['a password that ends the address', { url: 'postgres://u:a/b@h' }, 'store.postgres.url must'],
    ['a schema in capitals', { url: LOCAL, schema: 'Hooks' }, 'store.postgres.schema must be'],
    ['a schema with a quote', { url: LOCAL, schema: 'a"; DROP' }, 'store.postgres.schema must be'],
    ['one connection', { url: LOCAL, connections: 1 }, 'store.postgres.connections must not be'],
    ['a misspelt key', { url: LOCAL, poolSize: 3 }, 'store.postgres.poolSize is not a known key'],
    ['a text', 'postgres://h/d', 'store.postgres must be an object'],
  ])('is refused with %s', async (_title, postgres, sentence) => {
    const found = await problems(postgres);
    expect(found).toEqual([expect.stringContaining(sentence)]);
    expect(found.join()).not.toContain(PASSWORD);
  });

  it('is warned of where the way there can be read, and nowhere else', async () => {
    const gateway = { auth: { token: 'a-token-of-the-operator-that-is-long' } };
    const remote = `postgres://hooks:${PASSWORD}@db.example.com/gateway`;
    for (const url of [remote, `${remote}?sslmode=prefer`, `${remote}?sslmode=disable`]) {
      expect(await warnings(url, gateway)).toEqual([expect.stringContaining('without TLS')]);
    }
    const socket = 'postgres://hooks@localhost/gateway?host=%2Frun%2Fpostgresql';
    for (const url of [`${remote}?sslmode=verify-full`, LOCAL, socket, 'postgres:///gateway']) {
      expect(await warnings(url, gateway)).toEqual([]);
    }
  });

  it('is warned of without an operator token that services could share', async () => {
    expect(await warnings(LOCAL)).toEqual([
      expect.stringContaining('gateway.auth.token is not set'),
    ]);
  });

  it('never shows its password, and tells that it is written out', async () => {
    write({ postgres: { url: LOCAL } });
    const inspection = await inspectConfiguration(dir.path, {});
    const { configuration } = showConfiguration(inspection, {});
    expect(configuration['store']).toMatchObject({
      postgres: { url: 'postgres://127.0.0.1/***', schema: 'hooks' },
    });
    expect(JSON.stringify(configuration)).not.toContain(PASSWORD);
    expect(listSecrets(inspection)).toContainEqual({
      key: 'store.postgres.url',
      value: PASSWORD,
      file: 'gateway.json5',
    });
  });
});
