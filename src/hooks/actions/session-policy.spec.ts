import { catchRejection } from '../../../test/support/ingest.ts';
import * as fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { resolveOptions } from '../options/index.ts';
import type { HooksSettingsInput } from '../options/index.ts';
import { SessionPolicy } from './session-policy.ts';
import type { NamedKey } from './session-policy.ts';

function resolve(
  named: NamedKey | undefined,
  given: HooksSettingsInput = {},
  agentId = 'main',
): string {
  const settings = resolveOptions({ allowRequestSessionKey: true, ...given }).resolved;
  return new SessionPolicy().resolve(named, agentId, settings);
}

function refusal(...args: Parameters<typeof resolve>): string {
  const { code, status, message } = catchRejection(() => resolve(...args));
  expect([code, status]).toEqual(['session_key_not_allowed', 400]);
  return message;
}

const request = (key: string): NamedKey => ({ key, from: 'request' });
const mapping = (key: string): NamedKey => ({ key, from: 'mapping' });
const derived = (key: string, derivedAfter: string): NamedKey => ({
  key,
  from: 'mapping',
  derivedAfter,
});

describe('SessionPolicy: which key (behaviour §6, spec "Session key policy")', () => {
  it('refuses a request key by default, naming the switch', () => {
    expect(refusal(request('hook:a'), { allowRequestSessionKey: false })).toContain(
      'hooks.allowRequestSessionKey',
    );
  });

  it('takes a mapping key whatever the switch says', () => {
    expect(resolve(mapping('hook:a'), { allowRequestSessionKey: false })).toBe('hook:a');
  });

  it('prefers a named key to the default, and the default to a fresh one', () => {
    const given = { defaultSessionKey: 'hook:default' };
    expect(resolve(request('hook:a'), given)).toBe('hook:a');
    expect(resolve(undefined, given)).toBe('hook:default');
  });

  it('makes a fresh hook:<uuid> each time without a default', () => {
    const keys = [resolve(undefined), resolve(undefined)];
    for (const key of keys)
      expect(key).toMatch(/^hook:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u);
    expect(new Set(keys).size).toBe(2);
  });
});

describe('SessionPolicy: prefixes (behaviour §6 "Prefixes restrict explicit keys")', () => {
  const given = { allowedSessionKeyPrefixes: ['hook:', ' Job: '], defaultSessionKey: 'free:x' };

  it.each(['hook:a', 'HOOK:a', ' hook:a', 'job:7', 'Job:'])('the key %j fits', (key) => {
    expect(resolve(request(key), given)).toBe(key.trim());
  });

  it.each(['main', 'MAIN', 'hoo', 'xhook:a', 'agent:main:hook:a', 'agent:main:main'])(
    'the key %j is refused for requests and mappings, with the list',
    (key) => {
      expect(refusal(request(key), given)).toContain('hook:,  Job: ');
      expect(refusal(mapping(key), given)).toContain('hook:');
    },
  );

  it('they restrict derived keys, too', () => {
    expect(refusal(derived('mail:7', 'mail:'), given)).toContain('hook:');
    expect(resolve(derived('hook:7', 'hook:'), given)).toBe('hook:7');
  });

  it('they do not restrict the default key', () => {
    expect(resolve(undefined, given)).toBe('free:x');
  });

  it('an empty list restricts nothing', () => {
    expect(resolve(request('any'), { allowedSessionKeyPrefixes: [] })).toBe('any');
  });
});

describe('SessionPolicy: agent:<id>:<rest> (behaviour §6, lessons 33, 34)', () => {
  it.each(['agent:ops:hook:a', 'AGENT:OPS:hook:a', ' agent:ops:hook:a '])(
    '%j is the own short key',
    (key) => {
      expect(resolve(request(key), {}, 'ops')).toBe('hook:a');
    },
  );

  it.each([
    'agent:other:hook:a',
    'Agent:Other:main',
    'agent:ops',
    'agent:ops:',
    'agent:',
    'agent::x',
    'agent: ops :x',
    'agent:ops:agent:other:main',
    'agent:ops: Agent:other:x',
  ])('%j is refused for the agent ops, whoever names it', (key) => {
    expect(refusal(request(key), {}, 'ops')).toContain('(ops)');
    expect(refusal(mapping(key), {}, 'ops')).toContain('(ops)');
    expect(refusal(undefined, { defaultSessionKey: key }, 'ops')).toContain('(ops)');
  });

  it('a default key is looked at without its outer blanks', () => {
    expect(refusal(undefined, { defaultSessionKey: ' agent:other:main' }, 'ops')).toContain(
      '(ops)',
    );
    expect(resolve(undefined, { defaultSessionKey: ' main ' })).toBe('main');
  });

  it('the main session behind a full key is main without blanks', () => {
    expect(resolve(request('agent:main: MAIN'))).toBe('MAIN');
  });

  it('names an agent in keys as they are given', () => {
    expect(resolve(request('Hook:MiXed'))).toBe('Hook:MiXed');
  });
});

describe('SessionPolicy: length and characters', () => {
  it('takes 256 characters and refuses 257', () => {
    expect(resolve(request('x'.repeat(256)))).toHaveLength(256);
    expect(refusal(request('x'.repeat(257)))).toContain('256');
  });

  it.each(['a\nb', 'a\u0000b', 'a\u2028b', 'a\u0085b', 'a\u202eb', 'a\u200bb', 'a\ud800b'])(
    'refuses %j',
    (key) => {
      expect(refusal(request(key))).toContain('control characters');
    },
  );
});

describe('SessionPolicy: derived keys (behaviour §6, lessons CVE-2026-45002, PR #103047)', () => {
  it.each([
    ['hook:mail:a b', 'hook:mail:a%20b'],
    ['hook:mail:ü', 'hook:mail:%C3%BC'],
    ['hook:mail:😀', 'hook:mail:%F0%9F%98%80'],
    ['hook:mail:a\nb', 'hook:mail:a%0Ab'],
    ['hook:mail:50%', 'hook:mail:50%25'],
    ['hook:mail:a.b_c:d@e/f+g-h', 'hook:mail:a.b_c:d@e/f+g-h'],
  ])('%j is encoded as %s', (key, encoded) => {
    expect(resolve(derived(key, 'hook:mail:'))).toBe(encoded);
  });

  it.each([
    ['main', 'm'],
    ['MAIN', 'M'],
    ['agent:main:main', 'a'],
    ['Agent:other:x', 'Ag'],
    ['agent:main:hook:x', 'agent:main:hook:'],
  ])('%j after the literal %j is refused as reserved', (key, literal) => {
    expect(refusal(derived(key, literal))).toContain('reserved');
  });

  it.each(['', ' '])('without a literal start (%j) it is refused', (literal) => {
    expect(refusal(derived('hook:x', literal))).toContain('literal text');
  });

  it('is measured after encoding', () => {
    expect(refusal(derived(`h:${'ü'.repeat(43)}`, 'h:'))).toContain('256');
  });

  it('two different contents never make one key', () => {
    const content = fc.string({ unit: 'grapheme', maxLength: 8 });
    expect(() =>
      fc.assert(
        fc.property(
          content,
          content,
          (a, b) =>
            a === b || resolve(derived(`h:${a}`, 'h:')) !== resolve(derived(`h:${b}`, 'h:')),
        ),
      ),
    ).not.toThrow();
  });

  it('whatever a payload fills in, the key begins with the literal and holds safe characters only', () => {
    const content = fc.string({ unit: anyCharacter, maxLength: 20 });
    expect(() =>
      fc.assert(
        fc.property(content, (text) =>
          /^hook:x:[A-Za-z0-9._:@/+%-]*$/u.test(resolve(derived(`hook:x:${text}`, 'hook:x:'))),
        ),
      ),
    ).not.toThrow();
  });
});
