import { DoctorDirectory } from '../../../../test/support/doctor-directory.ts';
import type { AttentionItem } from '../../../service/index.ts';
import { service } from './service.ts';

let dir: DoctorDirectory;
beforeEach(() => (dir = new DoctorDirectory().configure()));
afterEach(() => dir[Symbol.dispose]());

const WHAT = '12 requests to alertmanager were refused as too large (413) since 10:04 UTC';
const LOST: AttentionItem = {
  kind: 'requests-lost',
  severity: 'error',
  what: WHAT,
  todo: 'raise maxBodyBytes',
  command: null,
  since: null,
  next: null,
  parts: [],
  count: 12,
  hook: 'alertmanager',
  channel: null,
  actions: [],
};

describe('doctor: service', () => {
  it('is content where the service needs nothing', async () => {
    dir.askAttention = async () => [];
    expect(await dir.findings(service)).toMatchObject([{ severity: 'ok' }]);
  });

  it('says what the service needs in the words of status, and lets none of it steer the terminal', async () => {
    dir.askAttention = async () => [
      { ...LOST, what: `${WHAT}\u001B[2J` },
      { ...LOST, kind: 'paused', what: 'the service is paused', command: 'hooks resume' },
    ];
    const found = await dir.findings(service);
    expect(found).toMatchObject([
      { severity: 'error', what: expect.stringContaining(WHAT), fix: 'raise maxBodyBytes' },
      { severity: 'error', what: 'the service is paused', fix: 'hooks resume' },
    ]);
    expect(found[0]?.what).not.toContain('\u001B');
  });

  it('leaves out what a check of its own looks at', async () => {
    dir.askAttention = async () => [{ ...LOST, kind: 'disk-nearly-full' }];
    expect(await dir.findings(service)).toMatchObject([{ severity: 'ok' }]);
  });

  it('is no warning where the service does not run, and asks nobody offline', async () => {
    expect(await dir.findings(service)).toMatchObject([{ severity: 'info' }]);
    dir.askAttention = () => Promise.reject(new Error('was asked'));
    expect(await dir.findings(service, { isOffline: true })).toMatchObject([{ severity: 'info' }]);
  });
});
