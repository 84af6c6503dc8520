import { secretName } from '../../hooks/index.ts';
import { inheritedIds } from './inherited-ids.ts';

const AT = Date.UTC(2026, 10, 20, 12);
const [OLD, NEW, SHARED] = ['the-old-secret-of-ci', 'the-new-secret-of-ci', 'the-token-of-all'];

describe('inheritedIds', () => {
  const inherited = (tokens: readonly string[], used: readonly string[]): string[] => {
    const uses = new Map(used.map((name) => [name, AT]));
    return [
      ...inheritedIds({ token: SHARED, tokens: [{ id: 'ci', tokens, hooks: ['x'] }] }, uses).keys(),
    ];
  };

  it.each<[string, string[], string[], string[]]>([
    ['all of its secrets are new and its id is not', [NEW], ['token ci'], ['ci']],
    [
      'one of its secrets was used: that is rotation',
      [OLD, NEW],
      ['token ci', secretName(OLD)],
      [],
    ],
    ['the new secret was used', [NEW], ['token ci', secretName(NEW)], []],
    ['nobody had the id', [NEW], ['token cd', 'token', secretName(OLD), secretName(SHARED)], []],
  ])('when %s', (_when, tokens, used, expected) => {
    expect(inherited(tokens, used)).toEqual(expected);
  });

  it('says until when, and what to do', () => {
    const tokens = [{ id: 'ci', token: NEW, hooks: ['x'] }];
    expect(inheritedIds({ tokens }, new Map([['token ci', AT]])).get('ci')).toMatch(
      /^ci had other secrets until 2026-11-20, .*: a new sender gets a new id$/,
    );
  });
});
