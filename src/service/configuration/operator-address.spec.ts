import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { inspectConfiguration } from './inspect.ts';

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

async function inspected(ops: object, gateway: object = {}) {
  dir.write('gateway.json5', { gateway, ops });
  const { problems, warnings, resolved } = await inspectConfiguration(dir.path, {});
  const said = (found: typeof problems) =>
    found
      .filter(({ key }) => key.startsWith('ops.'))
      .map(({ key, message }) => `${key} ${message}`);
  return {
    problems: said(problems),
    warnings: said(warnings),
    address: resolved?.operatorAddress,
  };
}

describe('ops.listen', () => {
  it('is absent by default: on the listener of the hooks', async () => {
    expect(await inspected({})).toEqual({ problems: [], warnings: [], address: undefined });
  });

  it('on this machine: nothing is said', async () => {
    expect(await inspected({ listen: 18_791 })).toMatchObject({ problems: [], warnings: [] });
  });

  it('has a relative path start at the configuration directory', async () => {
    const { address } = await inspected({ listen: 'unix:data/ops.sock' });
    expect(address).toEqual({ kind: 'unix', path: `${dir.path}/data/ops.sock` });
  });

  it('that has no such form is refused, once', async () => {
    const { problems } = await inspected({ listen: '18791' });
    expect(problems).toEqual([expect.stringContaining("must be a port, '127.0.0.1:18791'")]);
  });

  it('is refused where the directory makes the path too long', async () => {
    const { problems } = await inspected({ listen: `unix:${'a'.repeat(100)}` });
    expect(problems).toEqual([expect.stringContaining('ops.listen must be')]);
  });

  it.each([
    [18_790, {}],
    [':18790', {}],
    ['127.0.0.1:18790', { host: '0.0.0.0' }],
    ['10.0.0.5:1000', { host: '::', port: 1000 }],
  ])('%j is the port of the hooks at %j', async (listen, gateway) => {
    const { problems } = await inspected({ listen }, gateway);
    expect(problems).toEqual([expect.stringContaining('is the port of the hooks')]);
  });

  it.each([
    [
      {},
      {},
      [
        'can be reached by other machines, and all of them are refused there: set ops.exposed, or listen on 127.0.0.1',
      ],
    ],
    [
      { exposed: true },
      {},
      [
        'listens beyond loopback without gateway.trustedProxies: put a reverse proxy with TLS before it and name its address there',
      ],
    ],
    [{ exposed: true }, { trustedProxies: ['10.0.0.1'] }, []],
  ])('beyond loopback with %j, %j: %j', async (ops, gateway, said) => {
    const { problems, warnings } = await inspected({ listen: ':18791', ...ops }, gateway);
    expect(problems).toEqual([]);
    expect(warnings).toEqual(said.map((message) => `ops.listen ${message}`));
  });
});

describe('ops.hosts', () => {
  it('takes names', async () => {
    const hosts = [
      'gateway.example.com',
      'NAS',
      'my_box.lan',
      'xn--bcher-kva.example',
      '10-0-0-5.a',
    ];
    expect(await inspected({ hosts })).toMatchObject({ problems: [] });
  });

  it.each([
    'http://gateway.example.com',
    'gateway.example.com:443',
    'gateway.example.com/',
    '*',
    '*.example.com',
    '.example.com',
    'a b',
    '',
    '[::1]',
  ])('refuses %j', async (host) => {
    expect((await inspected({ hosts: [host] })).problems).toEqual([
      expect.stringContaining('must list host names without scheme, port or path'),
    ]);
  });
});
