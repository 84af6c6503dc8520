import { hash } from 'node:crypto';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { ConfigurationError } from '../../hooks/index.ts';
import { loadConfiguration } from './load.ts';
import { TokenFile } from './token-file.ts';

const HOOK_TOKEN = 'the-hook-token-of-the-tests';
const LONG = 'a-token-of-the-operator-that-is-long';

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

async function refusals(sections: object): Promise<string[]> {
  dir.write('gateway.json5', { hooks: { enabled: true, token: HOOK_TOKEN }, ...sections });
  try {
    await loadConfiguration(dir.path, {});
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.map(({ key, message }) => `${key} ${message}`);
  }
}

const auth = (token: string): object => ({ gateway: { auth: { token } } });
const sender = (token: string): object => ({
  hooks: { enabled: true, token: HOOK_TOKEN, tokens: [{ id: 'ci', token, hooks: ['ci'] }] },
});
const ops = (metricsToken: string): object => ({ ops: { metricsToken } });

const named = (...tokens: readonly object[]): object => ({
  ops: {
    tokens: tokens.map((given, n) => ({
      id: 'ana',
      role: 'read',
      token: `${LONG}${n}-`,
      ...given,
    })),
  },
});

describe("the operator's tokens at start", () => {
  it.each([
    ['15 characters', auth('x'.repeat(15)), 'gateway.auth.token has only 15 characters'],
    [
      'no ASCII',
      auth('schlüssel-schlüssel-schlüssel'),
      'gateway.auth.token holds characters outside',
    ],
    ['15 for metrics', ops('x'.repeat(15)), 'ops.metricsToken has only 15 characters'],
    ['a blank one', ops(' '), 'ops.metricsToken must not be blank'],
    ['one for both', { ...auth(LONG), ...ops(LONG) }, 'ops.metricsToken must be neither'],
    ['that of the hooks', ops(HOOK_TOKEN), 'ops.metricsToken must be neither'],
    ['that of a sender', { ...ops(LONG), ...sender(LONG) }, 'ops.metricsToken must be neither'],
    [
      'that of a sender by its digest',
      { ...ops(LONG), ...sender(`sha256:${hash('sha256', LONG)}`) },
      'ops.metricsToken must be neither',
    ],
    [
      'one for metrics that an agent is given',
      { ...ops(LONG), agents: { list: [{ id: 'a', instructions: `Scrape with ${LONG}.` }] } },
      'agents.list[0].instructions holds ops.metricsToken',
    ],
    [
      'one id twice',
      named({ token: LONG }, { id: 'Ana' }),
      'ops.tokens[1].id is also the id of ops.tokens[0]',
    ],
    [
      'one secret twice, once as its digest',
      named({ token: LONG }, { id: 'ben', token: `sha256:${hash('sha256', LONG)}` }),
      'ops.tokens[1].token is also ops.tokens[0].token',
    ],
    ['an end on no day', named({ notAfter: '2027-13-45' }), 'ops.tokens[0].notAfter is no date'],
  ])('are refused: %s', async (_title, sections, sentence) => {
    const found = await refusals(sections);
    expect(found).toEqual([expect.stringContaining(sentence)]);
    expect(found.join()).not.toContain(LONG);
  });

  it('are taken with 16 characters, and warned of under 24', async () => {
    expect(await refusals({ ...auth('x'.repeat(16)), ...ops('y'.repeat(16)) })).toEqual([]);
    const { warnings } = await loadConfiguration(dir.path, {});
    const keys = warnings.map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining(['gateway.auth.token', 'ops.metricsToken']));
    expect(await refusals({ ...auth('x'.repeat(24)) })).toEqual([]);
    const long = await loadConfiguration(dir.path, {});
    expect(long.warnings.map(({ key }) => key)).not.toContain('gateway.auth.token');
  });

  it('are warned of before they end, and when they have', async () => {
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const ends = [13, 15, -1].map((days, n) => ({ id: `ana-${n}`, notAfter: day(days) }));
    expect(await refusals(named(...ends))).toEqual([]);
    const { warnings } = await loadConfiguration(dir.path, {});
    const about = warnings.filter(({ key }) => key.startsWith('ops.tokens'));
    const how = (id: string) => expect.stringContaining(`"hooks token new --operator ${id}"`);
    expect(about).toEqual([
      { key: 'ops.tokens[0].token', message: how('ana-0') },
      { key: 'ops.tokens[2].token', message: how('ana-2') },
    ]);
    expect(about.map(({ message }) => message.split(' ')[0])).toEqual(['ends', 'ended']);
  });

  it('are read from a file as well', async () => {
    mkdirSync(join(dir.path, 'data'), { mode: 0o700 });
    writeFileSync(join(dir.path, 'data', 'operator-token'), 'short', { mode: 0o600 });
    expect(await refusals({})).toEqual([
      expect.stringMatching(
        /^gateway\.auth\.token is kept in .*operator-token, whose token has only 5/,
      ),
    ]);
  });
});

describe('files at start', () => {
  const mode = (path: string): number => statSync(path).mode & 0o777;

  it.each([
    ['an empty one that all may write', '', 0o666],
    ['one that all may read', LONG, 0o644],
  ])('the file of a token is made private: %s', (_title, text, bits) => {
    const path = join(dir.path, 'operator-token');
    writeFileSync(path, text);
    chmodSync(path, bits);
    const token = new TokenFile(path).readOrCreate();
    expect(mode(path)).toBe(0o600);
    expect(token).toBe(text === '' ? new TokenFile(path).read() : text);
    expect(token.length).toBeGreaterThan(30);
  });

  it('those that people write are warned of, with the command that mends it', async () => {
    dir.write('.env', `HOOK=${HOOK_TOKEN}`);
    const agents = { defaults: { runner: { type: 'demo' } } };
    dir.write('gateway.json5', { hooks: { enabled: true, token: '${HOOK}' }, agents });
    expect((await loadConfiguration(dir.path, {})).warnings).toEqual([]);
    chmodSync(join(dir.path, '.env'), 0o644);
    chmodSync(join(dir.path, 'gateway.json5'), 0o666);
    chmodSync(join(dir.path, 'data'), 0o777);
    dir.writeTransform('x.js', 'export default () => null;');
    chmodSync(join(dir.path, 'transforms'), 0o777);
    chmodSync(join(dir.path, 'transforms', 'x.js'), 0o666);
    mkdirSync(join(dir.path, 'gateway.d'));
    chmodSync(join(dir.path, 'gateway.d'), 0o770);
    const { warnings } = await loadConfiguration(dir.path, {});
    expect(warnings.map(({ key, message }) => `${key} ${message}`)).toEqual([
      expect.stringMatching(/^gateway\.json5 can be changed by other users; run: chmod go-w /),
      expect.stringMatching(/^\.env can be read by other users; run: chmod go-rwx /),
      expect.stringMatching(/^gateway\.d can be changed by other users; run: chmod go-w /),
      expect.stringMatching(/^transforms can be changed by other users; run: chmod go-w /),
      expect.stringMatching(/^transforms\/x\.js can be changed by other users; run: chmod go-w /),
      expect.stringMatching(/^store\.dir can be changed by other users; run: chmod go-rwx /),
    ]);
  });
});
