import { asWritten } from '../../../test/support/as-written.ts';
import { normalizePrefix, prefixProblems } from './hooks-rules.ts';
import { GATEWAY_NAMES } from './option-names.ts';
import { resolveOptions } from './resolve.ts';
import type { HooksSettingsInput } from './settings-input.ts';

const GOOD = 'a-long-and-random-hook-token-1';

function problems(written: HooksSettingsInput): string[] {
  return resolveOptions(written, GATEWAY_NAMES).problems.map(
    ({ key, message }) => `${key} ${message}`,
  );
}

function warnings(written: HooksSettingsInput): string[] {
  const given = { enabled: true, token: GOOD, defaultSessionKey: 'hook:x', ...written };
  const { problems, warnings } = resolveOptions(given, GATEWAY_NAMES);
  expect(problems).toEqual([]);
  return warnings.map(({ key }) => key);
}

describe('hooks.path (behaviour §1, last paragraph)', () => {
  it.each([
    ['/hooks', '/hooks'],
    ['  hooks  ', '/hooks'],
    ['hooks/', '/hooks'],
    ['///in/coming///', '/in/coming'],
    ['', '/hooks'],
    ['   ', '/hooks'],
    ['/', '/'],
    [' // ', '/'],
  ])('%j becomes %s', (given, path) => {
    expect(normalizePrefix(given)).toBe(path);
  });

  it.each(['/', '//', '/ops', 'ops/', '/ops/hooks', '/OPS', '/health', '/health/live', '//health'])(
    '%s is refused at start',
    (path) => {
      expect(resolveOptions({ path }, GATEWAY_NAMES).problems).toEqual([
        {
          key: 'hooks.path',
          message: expect.stringMatching(/^must not be .*use a prefix such as/),
        },
      ]);
    },
  );

  it.each(['/a?b', '/a#b', '/a*', '/a b', '/%6fps'])('%s is refused as no plain path', (path) => {
    expect(prefixProblems(path)).toHaveLength(1);
  });

  it.each(['/opsy', '/healthy', '/hooks/ops', '/a/health'])('%s is allowed', (path) => {
    expect(prefixProblems(normalizePrefix(path))).toEqual([]);
  });
});

describe('a token with blanks around it', () => {
  it('is compared without them, so that two tokens cannot be one', () => {
    const token = 'the-operator-token-of-this-gateway';
    const written = { enabled: true, token: `${token} `, gatewayAuthToken: token };
    const { problems } = resolveOptions(written, GATEWAY_NAMES);
    expect(problems.map(({ key }) => key)).toEqual(['hooks.token']);
  });
});

describe('the hook token (spec "Authentication" 6, behaviour §3 "Start refuses")', () => {
  it.each([[undefined], [''], ['   '], ['\t\n']])(
    'is required when enabled; %j is none',
    (token) => {
      expect(problems({ enabled: true, token })).toEqual([
        'hooks.token is required when hooks.enabled is true; set a long random string, or name senders in hooks.tokens',
      ]);
    },
  );

  it.each(['${HOOK_TOKEN}', 'a-${HOOK_TOKEN}-b', '${}'])(
    'is refused as %s, unresolved',
    (token) => {
      expect(problems({ enabled: true, token })).toEqual([
        'hooks.token names a variable that is not set; set it in the environment or in .env',
      ]);
    },
  );

  it('is refused with one problem when it is no text', () => {
    expect(problems(asWritten({ enabled: true, token: 3 }))).toEqual([
      'hooks.token must be a string',
    ]);
  });

  it('never appears in a problem', () => {
    const found = problems({ enabled: true, token: GOOD, gatewayAuthToken: GOOD, path: '/' });
    expect(found.join()).not.toContain(GOOD);
  });

  it('is not needed while the ingress is off', () => {
    expect(problems({ enabled: false })).toEqual([]);
  });
});

describe('warnings at start (behaviour §3, §6)', () => {
  it('says nothing of the recommended configuration', () => {
    expect(warnings({ allowedSessionKeyPrefixes: ['hook:'] })).toEqual([]);
  });

  it('names request session keys without prefixes', () => {
    expect(warnings({ allowRequestSessionKey: true })).toEqual(['hooks.allowedSessionKeyPrefixes']);
    expect(
      warnings({ allowRequestSessionKey: true, allowedSessionKeyPrefixes: ['hook:'] }),
    ).toEqual([]);
  });

  it('says nothing of a missing default session key: runs have sessions of their own then', () => {
    expect(warnings({ defaultSessionKey: undefined })).toEqual([]);
  });

  it('names a default session key outside the prefixes, compared trimmed and case-folded', () => {
    expect(warnings({ allowedSessionKeyPrefixes: ['job:'] })).toEqual(['hooks.defaultSessionKey']);
    expect(warnings({ allowedSessionKeyPrefixes: [' HOOK: '] })).toEqual([]);
  });

  it('names prefixes outside which are the keys made for requests without a session', () => {
    const given = { defaultSessionKey: undefined };
    const key = 'hooks.allowedSessionKeyPrefixes';
    expect(warnings({ ...given, allowedSessionKeyPrefixes: ['job:', 'hook:ci:'] })).toEqual([key]);
    expect(warnings({ ...given, allowedSessionKeyPrefixes: ['job:', ' HOOK: '] })).toEqual([]);
    expect(warnings({ ...given, allowedSessionKeyPrefixes: [] })).toEqual([]);
  });

  it('names a placeholder that everybody knows', () => {
    const token = 'replace-me-with-a-long-random-string';
    expect(warnings({ token })).toEqual(['hooks.token']);
  });

  it('says nothing while the ingress is off', () => {
    expect(warnings({ enabled: false, token: 'short', defaultSessionKey: undefined })).toEqual([]);
  });
});

describe('session key rules of the configuration (behaviour §6)', () => {
  it.each(['', ' ', '\t'])('refuse the blank prefix %j, which would allow every key', (prefix) => {
    expect(problems({ allowedSessionKeyPrefixes: ['hook:', prefix] })).toEqual([
      'hooks.allowedSessionKeyPrefixes must not hold a blank prefix; it would allow every key',
    ]);
  });

  it('refuse a blank default session key', () => {
    expect(problems({ defaultSessionKey: ' ' })).toEqual([
      'hooks.defaultSessionKey must not be blank; set a key or remove it',
    ]);
  });
});
