import { asWritten } from '../../../test/support/as-written.ts';
import { GATEWAY_NAMES } from './option-names.ts';
import { resolveOptions } from './resolve.ts';
import type { HooksSettingsInput } from './settings-input.ts';
import { tokenFor, writtenDigest } from './token-options.ts';

const NOW = Date.UTC(2026, 10, 22);
const LONG = 'a-long-and-random-token-of-a-sender';
const sender = { id: 'ci', token: LONG, hooks: ['deploys'] };

function problems(written: HooksSettingsInput): string[] {
  return resolveOptions(asWritten({ enabled: true, ...written }), GATEWAY_NAMES, NOW).problems.map(
    ({ key, message }) => `${key} ${message}`,
  );
}

function warnings(written: HooksSettingsInput): string[] {
  const given = { enabled: true, defaultSessionKey: 'hook:x', ...written };
  const { problems, warnings } = resolveOptions(given, GATEWAY_NAMES, NOW);
  expect(problems).toEqual([]);
  return warnings.map(({ key, message }) => `${key} ${message}`);
}

describe('who may speak (behaviour §3)', () => {
  it('is said by hooks.token, by hooks.tokens, or by a mapping that verifies', () => {
    expect(problems({})).toEqual([expect.stringContaining('hooks.token is required')]);
    expect(problems({ token: LONG })).toEqual([]);
    expect(problems({ tokens: [sender] })).toEqual([]);
    const verify = { scheme: 'github', secrets: ['x'] };
    const mappings = asWritten([{ id: 'github', messageTemplate: 'x', verify }]);
    expect(problems(asWritten({ mappings }))).not.toContainEqual(
      expect.stringContaining('hooks.token is required'),
    );
  });

  it.each([
    ['15 characters', { token: 'x'.repeat(15) }, 'hooks.token has only 15 characters'],
    [
      '15 characters of a sender',
      { token: LONG, tokens: [{ ...sender, token: 'y'.repeat(15) }] },
      'hooks.tokens[0].token has only 15 characters',
    ],
    ['a blank one', { token: LONG, tokens: [{ ...sender, token: ' ' }] }, 'must not be blank'],
    ['no secret', { token: LONG, tokens: [{ id: 'ci', hooks: ['x'] }] }, 'is missing'],
    [
      'no hooks',
      { token: LONG, tokens: [{ ...sender, token: `${LONG}2`, hooks: [] }] },
      'hooks must',
    ],
    ['a slash', { tokens: [{ ...sender, hooks: ['/deploys'] }] }, 'hooks[0]'],
    ['a blank id', { tokens: [{ ...sender, id: ' ' }] }, 'hooks.tokens[0].id must be 1 to 64'],
    ['half a digest', { tokens: [{ ...sender, token: 'sha256:abc' }] }, 'must be sha256: and 64'],
    ['no date', { tokens: [{ ...sender, notAfter: 'soon' }] }, 'must be a date such as'],
    ['no day', { tokens: [{ ...sender, notAfter: '2027-13-45' }] }, 'is no date'],
    [
      'the same secret twice',
      { token: LONG, tokens: [sender] },
      'is the same secret as hooks.token',
    ],
    [
      'its digest as well',
      { token: LONG, tokens: [{ ...sender, token: writtenDigest(LONG) }] },
      'is the same secret as hooks.token',
    ],
    [
      'one id twice',
      { tokens: [sender, { ...sender, token: `${LONG}2` }] },
      'hooks.tokens[1].id is also the id of hooks.tokens[0]',
    ],
    [
      "the gateway's own, as a digest",
      { gatewayAuthToken: LONG, tokens: [{ ...sender, token: writtenDigest(LONG) }] },
      "must not be the gateway's own token",
    ],
    ['a variable', { tokens: [{ ...sender, token: '${CI}' }] }, 'names a variable that is not set'],
    ['a list of texts', { token: LONG, tokens: ['x'] }, 'hooks.tokens'],
    ['null', { token: LONG, tokens: [null] }, 'hooks.tokens'],
    ['no list', { token: LONG, tokens: 3 }, 'hooks.tokens must be an array'],
  ])('is refused for %s', (_title, written, sentence) => {
    const found = problems(asWritten(written));
    expect(found.join('\n')).toContain(sentence.replace('hooks[0]', 'hooks'));
    expect(found.join()).not.toContain(LONG);
  });

  it('16 characters are enough, and 24 for no warning', () => {
    expect(warnings({ token: 'x'.repeat(16) })).toHaveLength(1);
    expect(
      warnings({ token: 'x'.repeat(24), tokens: [{ ...sender, token: 'y'.repeat(23) }] }),
    ).toEqual([expect.stringMatching(/^hooks\.tokens\[0\]\.token is shorter than 24/)]);
    expect(warnings({ tokens: [{ ...sender, token: writtenDigest('whatever') }] })).toEqual([]);
  });
});

describe('notAfter', () => {
  it.each([
    ['2026-12-07', []],
    ['2026-12-05', ['hooks.tokens[0].token ends at 2026-12-05T23:59:59.999Z']],
    ['2026-11-21', ['hooks.tokens[0].token ended at 2026-11-21T23:59:59.999Z']],
    ['2026-11-21T12:00:00+02:00', ['hooks.tokens[0].token ended at 2026-11-21T10:00:00.000Z']],
  ])('%s is warned of when it is near or over', (notAfter, expected) => {
    const found = warnings({ tokens: [{ ...sender, notAfter }] });
    expect(found).toEqual(expected.map((text) => expect.stringContaining(text)));
  });
});

describe('tokenFor, for clients of our own', () => {
  it('is the first that is written out, may speak there and has not ended', () => {
    const other = { id: 'b', token: `${LONG}2`, hooks: ['*'] };
    const ended = { ...sender, id: 'old', token: `${LONG}3`, notAfter: '2026-11-21' };
    expect(tokenFor({ token: writtenDigest(LONG), tokens: [ended, sender] }, 'deploys', NOW)).toBe(
      LONG,
    );
    expect(tokenFor({ tokens: [sender] }, 'wake', NOW)).toBeUndefined();
    expect(tokenFor({ tokens: [sender, other] }, 'wake', NOW)).toBe(`${LONG}2`);
    expect(tokenFor({ token: 'first', tokens: [sender] }, 'deploys', NOW)).toBe('first');
  });
});
