import { DoctorDirectory } from '../../../test/support/doctor-directory.ts';
import { writeFragment } from '../../service/index.ts';
import type { Check } from './check.ts';
import { configuration, exposure } from './checks/configuration.ts';
import { node } from './checks/machine.ts';
import { CHECKS } from './run-checks.ts';

let dir: DoctorDirectory;
beforeEach(() => (dir = new DoctorDirectory()));
afterEach(() => dir[Symbol.dispose]());

describe('doctor', () => {
  it('has a name of its own for every check', () => {
    const names = CHECKS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('tells a check that broke, and goes on', async () => {
    const broken: Check = {
      name: 'broken',
      needs: 'nothing',
      run: () => Promise.reject(new Error('out of order')),
    };
    expect(await dir.findings(broken)).toMatchObject([
      { check: 'broken', severity: 'error', what: 'could not be looked at: out of order' },
    ]);
  });

  it('tells every mistake of the configuration, and what cannot be looked at therefore', async () => {
    dir.write('gateway.json5', { gateway: { port: 'x' }, hooks: { presets: 1 } });
    expect(await dir.findings(configuration)).toMatchObject([
      { severity: 'error', what: expect.stringContaining('gateway.port') },
      { severity: 'error', what: expect.stringContaining('hooks.presets') },
    ]);
    expect(await dir.findings(exposure)).toMatchObject([{ severity: 'info' }]);
  });

  it('tells warnings of the configuration', async () => {
    dir.configure({ hooks: { defaultSessionKey: 'hook:x', allowedSessionKeyPrefixes: ['job:'] } });
    expect(await dir.findings(configuration)).toMatchObject([
      { severity: 'warning', what: expect.stringContaining('hooks.defaultSessionKey') },
    ]);
  });

  it('knows beside a fragment, too, which warnings other checks look at', async () => {
    dir.configure({ gateway: { host: '0.0.0.0' } });
    writeFragment(dir.path, 'more', { hooks: { defaultSessionKey: 'hook:x' } }, 'the tests');
    expect(await dir.findings(configuration)).toMatchObject([{ severity: 'ok' }]);
  });

  it('knows the Node it runs on', async () => {
    expect(await dir.findings(node)).toMatchObject([{ severity: 'ok' }]);
  });
});
