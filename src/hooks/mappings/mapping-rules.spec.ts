import { findProblems } from '../../../test/support/ingest.ts';
import type { HooksSettingsInput } from '../options/index.ts';

type Mapping = NonNullable<HooksSettingsInput['mappings']>[number];

const COLLECT = { for: '10m' };
const LIMIT = { runs: 1, per: '1h', then: 'collect' } as const;

function problemsOf(mapping: Mapping, more: HooksSettingsInput = {}): string[] {
  return findProblems({ mappings: [{ id: 'm', ...mapping }], ...more });
}

describe('rules that contradict each other', () => {
  const REFUSED: readonly [Mapping, RegExp][] = [
    [
      { collect: COLLECT, whenBusy: 'skip', sessionKey: 's' },
      /\.collect contradicts whenBusy: 'skip', since/,
    ],
    [
      { limit: LIMIT, whenBusy: 'replace', sessionKey: 's' },
      /\.limit contradicts whenBusy: 'replace', since/,
    ],
    [
      { collect: COLLECT, waitFor: { key: 'k', by: ['r'] } },
      /\.collect contradicts waitFor\.key, since/,
    ],
    [
      { collect: { ...COLLECT, scope: 'mapping' }, exposeReply: true },
      /\.collect contradicts exposeReply with scope: 'mapping'/,
    ],
    [
      { limit: { ...LIMIT, scope: 'mapping' }, exposeReply: true },
      /\.limit contradicts exposeReply with scope: 'mapping'/,
    ],
    [{ whenBusy: 'skip' }, /\.whenBusy has no effect without sessionKey/],
    [{ collect: { ...COLLECT, quiet: '10m' } }, /\.collect\.quiet must be shorter than for/],
    [{ collect: { ...COLLECT, by: '{{' } }, /\.collect\.by /],
    [{ collect: { for: '25h' } }, /\.collect\.for must be a duration from 1s to 24h/],
    [{ limit: { runs: 1, per: '30s' } }, /\.limit\.per must be a duration from 1m to 720h/],
    [{ quietHours: { from: '24:00', to: '07:00' } }, /\.quietHours\.from must be a time of day/],
    [
      { quietHours: { from: '22:00', to: '07:00', except: [{ state: 1 }] } },
      /\.quietHours\.except\[0\]/,
    ],
    [{ action: 'wake', collect: COLLECT }, /\.collect has no meaning for a wake action/],
  ];
  it.each(REFUSED)('%j is refused', (mapping, message) => {
    const resumer = { id: 'r', action: 'resume', resume: '{{ payload.k }}' } as const;
    const mappings = [{ id: 'm', ...mapping }, resumer];
    expect(problemsOf({}, { mappings })).toContainEqual(expect.stringMatching(message));
  });

  it('what is gathered from several places has no place for one answer', () => {
    const source = { reply: 'source', replyTo: { provider: 'github', to: 'a/b#1' } } as const;
    expect(problemsOf({ ...source, collect: COLLECT })).toContainEqual(
      expect.stringMatching(/\.collect contradicts reply: 'source' without collect\.by/),
    );
  });

  it('mappings of one id have the same rules for all of its runs', () => {
    const limited = (runs: number) => ({ match: { path: 'p' }, limit: { runs, per: '1h' } });
    const [one, other] = [limited(1), limited(2)];
    expect(findProblems({ mappings: [one, one] })).toEqual([]);
    expect(findProblems({ mappings: [one, { ...other, id: 'q' }] })).toEqual([]);
    expect(findProblems({ mappings: [one, other] })).toEqual([
      expect.stringMatching(
        /^hooks\.mappings\[1\]\.limit differs .* give one of them an id \(given: an object\)$/,
      ),
    ]);
  });

  it('those of all mappings give way to what a mapping says', () => {
    const defaults = { collect: COLLECT, whenBusy: 'replace', limit: LIMIT } as const;
    const own: readonly Mapping[] = [
      {},
      { whenBusy: 'skip', sessionKey: 's' },
      { exposeReply: true },
      { action: 'wake' },
      { action: 'deliver' },
    ];
    for (const mapping of own) expect(problemsOf(mapping, { defaults })).toEqual([]);
  });
});
