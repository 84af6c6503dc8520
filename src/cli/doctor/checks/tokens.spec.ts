import { GOOD_TOKEN, DoctorDirectory } from '../../../../test/support/doctor-directory.ts';
import { writeFragment } from '../../../service/index.ts';
import { tokens } from './tokens.ts';

let dir: DoctorDirectory;
beforeEach(() => (dir = new DoctorDirectory()));
afterEach(() => dir[Symbol.dispose]());

const other = GOOD_TOKEN.split('').toReversed().join('');

function withTokens(hook: string, operator = other): ReturnType<DoctorDirectory['findings']> {
  dir
    .write('.env', `HOOK=${hook}\nOPERATOR=${operator}`)
    .configure({ hooks: { token: '${HOOK}' }, gateway: { auth: { token: '${OPERATOR}' } } });
  return dir.findings(tokens);
}

describe('doctor: tokens', () => {
  it('is content with two random ones', async () => {
    expect(await withTokens(GOOD_TOKEN)).toMatchObject([{ check: 'tokens', severity: 'ok' }]);
  });

  it.each([
    ['short', 'q7Xw2Lr9ZkT4mBv8Y', 'warning', 'hooks.token has only 17 characters'],
    ['without variety', 'abababababababababababababab', 'warning', 'hooks.token repeats itself'],
    ['of an example', 'replace-me-with-a-long-random-string', 'error', 'placeholder'],
  ])('tells one that is %s, with the way to a better one', async (_, token, severity, what) => {
    const [finding] = await withTokens(token);
    expect(finding).toMatchObject({
      severity,
      what: expect.stringContaining(what),
      fix: expect.stringContaining('hooks token new'),
    });
    expect(finding?.what).not.toContain(token);
  });

  it('looks at the generated operator token, too', async () => {
    dir.configure({ store: { dir: '.' } }).write('operator-token', 'q7Xw2Lr9ZkT4mBv8');
    const whats = (await dir.findings(tokens)).map(({ what }) => what);
    expect(whats).toContainEqual('operator-token has only 16 characters');
  });

  it('reports a token that is used in two places', async () => {
    dir
      .write('.env', `HOOK=${GOOD_TOKEN}`)
      .configure({ hooks: { token: '${HOOK}' }, channels: { chan_2: { token: '${HOOK}' } } });
    expect(await dir.findings(tokens)).toMatchObject([
      { severity: 'error', what: expect.stringContaining('hooks.token and channels.chan_2.token') },
    ]);
  });

  it('does not mind two channels of one account', async () => {
    const account = { provider: 'telegram', token: '${BOT}' };
    dir
      .write('.env', `HOOK=${GOOD_TOKEN}\nBOT=${other}`)
      .configure({ hooks: { token: '${HOOK}' }, channels: { chan_1: account, chan_2: account } });
    expect(await dir.findings(tokens)).toMatchObject([{ severity: 'ok' }]);
  });

  it('names secrets that are written out in gateway.json5', async () => {
    expect(await dir.configure().findings(tokens)).toMatchObject([
      { severity: 'info', what: 'written out in gateway.json5: hooks.token' },
    ]);
  });

  it('does not mind one that a command keeps in its fragment', async () => {
    const mail = { account: 'a@b.c', host: 'imap.test', auth: { password: 'an-app-password' } };
    await withTokens(GOOD_TOKEN);
    writeFragment(dir.path, 'mail', { hooks: { presets: ['mail'], mail } }, 'the tests');
    expect(await dir.findings(tokens)).toMatchObject([{ severity: 'ok' }]);
  });
});
