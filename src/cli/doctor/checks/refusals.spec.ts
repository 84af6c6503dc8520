import { DoctorDirectory } from '../../../../test/support/doctor-directory.ts';
import { refusals } from './refusals.ts';

let dir: DoctorDirectory;
beforeEach(() => (dir = new DoctorDirectory().configure()));
afterEach(() => dir[Symbol.dispose]());

describe('doctor: refusals', () => {
  it('is content where nothing was lost', async () => {
    dir.askLost = async () => [];
    expect(await dir.findings(refusals)).toMatchObject([{ severity: 'ok' }]);
  });

  it('warns of what verified senders lost, with what to do, and lets none of it steer the terminal', async () => {
    const what = '12 requests to alertmanager were refused as too large (413) since 10:04 UTC';
    dir.askLost = async () => [{ what: `${what}\u001B[2J`, todo: 'raise maxBodyBytes' }];
    const [found] = await dir.findings(refusals);
    expect(found).toMatchObject({ severity: 'warning', fix: 'raise maxBodyBytes' });
    expect(found?.what).toContain(what);
    expect(found?.what).not.toContain('\u001B');
  });

  it('is no warning where the service does not run, and asks nobody offline', async () => {
    expect(await dir.findings(refusals)).toMatchObject([{ severity: 'info' }]);
    dir.askLost = () => Promise.reject(new Error('was asked'));
    expect(await dir.findings(refusals, { isOffline: true })).toMatchObject([{ severity: 'info' }]);
  });
});
