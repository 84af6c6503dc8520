import { DoctorDirectory } from '../../../../test/support/doctor-directory.ts';
import { exposure, proxies } from './configuration.ts';

let dir: DoctorDirectory;
beforeEach(() => (dir = new DoctorDirectory()));
afterEach(() => dir[Symbol.dispose]());

describe('doctor: exposure', () => {
  it('is content with loopback', async () => {
    expect(await dir.configure().findings(exposure)).toMatchObject([{ severity: 'ok' }]);
  });

  it('warns of a port that other machines reach without TLS', async () => {
    dir.configure({ gateway: { host: '0.0.0.0' } });
    expect(await dir.findings(exposure)).toMatchObject([
      {
        severity: 'warning',
        what: expect.stringContaining('gateway.host listens beyond loopback'),
      },
    ]);
  });

  it('asks for a firewall where a proxy is named', async () => {
    const gateway = { host: '0.0.0.0', trustedProxies: ['10.0.0.2'] };
    dir.configure({ gateway, ops: { listen: 18_791 } });
    expect(await dir.findings(exposure)).toMatchObject([{ severity: 'info' }]);
    dir.configure({ gateway });
    expect(await dir.findings(exposure)).toMatchObject([
      { severity: 'warning', what: expect.stringContaining('ops.listen is not set') },
    ]);
  });

  it('warns of an operator API for other machines', async () => {
    dir.configure({ ops: { exposed: true } });
    expect(await dir.findings(exposure)).toMatchObject([
      { severity: 'warning', what: expect.stringContaining('ops.exposed') },
    ]);
  });
});

describe('doctor: exposure of the operator API', () => {
  it.each([18_791, '[::1]:18791', 'unix:/run/hooks/ops.sock'])(
    'is content with %j',
    async (listen) => {
      dir.configure({ ops: { listen } });
      expect(await dir.findings(exposure)).toMatchObject([
        { severity: 'ok', what: expect.stringContaining('are reachable only from this machine') },
      ]);
    },
  );

  it.each([
    [false, ['ops.listen can be reached by other machines, and all of them are refused there']],
    [true, ['ops.listen listens beyond loopback', 'ops.exposed is true']],
  ])('warns of another address: ops.exposed %s', async (exposed, whats) => {
    dir.configure({ ops: { listen: ':18791', exposed } });
    expect(await dir.findings(exposure)).toMatchObject(
      whats.map((what) => ({ severity: 'warning', what: expect.stringContaining(what) })),
    );
  });
});

describe('doctor: proxies', () => {
  it.each([
    [[], 'ok', 'from no proxy'],
    [['10.0.0.2', 'fd00::/64'], 'info', '10.0.0.2, fd00::/64'],
    [['0.0.0.0/0'], 'error', 'anybody can claim any address'],
    [['::/0'], 'error', 'anybody can claim any address'],
    [['10.0.0.0/4'], 'warning', 'far more than your proxies'],
  ])('%j: %s', async (trustedProxies, severity, what) => {
    dir.configure({ gateway: { trustedProxies } });
    expect(await dir.findings(proxies)).toMatchObject([
      { severity, what: expect.stringContaining(what) },
    ]);
  });
});
