import { normalizePrefix, prefixProblems } from './prefix.ts';
import { resolveOptions } from './resolve.ts';

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
      expect(resolveOptions({ path }).problems).toEqual([
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
