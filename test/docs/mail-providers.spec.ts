import { readFileSync } from 'node:fs';
import { MAIL_PROVIDERS } from '../../src/cli/mail/providers.ts';

const PAGE = readFileSync(new URL('../../docs/mail.md', import.meta.url), 'utf8');

describe('docs/mail.md', () => {
  it('lists the providers of hooks mail setup, with server and advice', () => {
    const rows = PAGE.split('\n')
      .filter((line) => /^\| [^`|]+ \| `[\w.-]+\.\w+`/.test(line))
      .map((line) => line.split('|').map((cell) => cell.trim()));
    const listed = rows.map(([, name, server, advice]) => ({ name, server, advice }));
    const known = MAIL_PROVIDERS.map(({ name, host, port, advice }) => ({
      name,
      server: port === undefined ? `\`${host}\`` : `\`${host}\`, port ${port}`,
      advice,
    }));
    expect(listed).toEqual(known);
  });
});
