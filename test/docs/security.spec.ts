import { readFileSync } from 'node:fs';
import { coversBody, isIdSigned, schemes } from '../../src/hooks/http/auth/signatures/index.ts';
import { describeProof, rowOf } from '../support/scheme-table.ts';

const PAGE = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');

const rows = (PAGE.split(/^## Signed senders$/m)[1] ?? '')
  .split(/^## /m, 1)[0]!
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

describe('the table of schemes in docs/security.md', () => {
  it('has a row for each scheme, in the order of their ids, and says of it what the row says', () => {
    const expected = [...schemes.values()]
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map((scheme) => rowOf(scheme));
    expect(rows).toEqual(expected);
  });

  it('names what a scheme leaves open', () => {
    const open = [...schemes.values()].filter(
      (scheme) => scheme.proofs.length > 0 && !coversBody(scheme) && isIdSigned(scheme),
    );
    expect(open.map(({ id }) => id).toSorted()).toEqual(['aws-sns', 'mailgun', 'paypal']);
    for (const { gaps } of open) expect(gaps).toBeDefined();
    expect(describeProof(schemes.get('github')!)).toContain('HMAC-SHA256');
  });
});
