import { readFile } from 'node:fs/promises';
import JSON5 from 'json5';
import type { MailMessage } from '../../src/mail/index.ts';
import type { WatcherStatus } from '../../src/mail/index.ts';
import { resolveMail } from '../../src/mail/index.ts';

const FIELDS: Readonly<Record<keyof MailMessage, true>> = {
  id: true,
  mailbox: true,
  from: true,
  fromAddress: true,
  authentic: true,
  to: true,
  subject: true,
  date: true,
  snippet: true,
  body: true,
  headers: true,
  attachments: true,
  truncated: true,
  error: true,
};

const STATES: Readonly<Record<WatcherStatus, true>> = {
  connecting: true,
  watching: true,
  disconnected: true,
  'credentials-expired': true,
  misconfigured: true,
  'hook-unavailable': true,
  'watched-elsewhere': true,
  stopped: true,
};

async function page(): Promise<string> {
  return readFile(new URL('../../docs/mail.md', import.meta.url), 'utf8');
}

async function named(section: string): Promise<string[]> {
  const [, text = ''] = (await page()).split(`\n## ${section}\n`);
  const [own = ''] = text.split('\n## ');
  const cells = Array.from(own.matchAll(/^\| (`[^|]+)\|/gmu), ([, cell = '']) => cell);
  return cells.flatMap((cell) => Array.from(cell.matchAll(/`([^`]+)`/gu), ([, name = '']) => name));
}

describe('docs/mail.md', () => {
  it('shows configurations that are accepted', async () => {
    const blocks = Array.from(
      (await page()).matchAll(/```json5\n([^`]+)```/gu),
      ([, text]) => text,
    );
    expect(blocks).toHaveLength(5);
    for (const block of blocks) {
      const { hooks }: { hooks: { mail: object; presets: string[] } } = JSON5.parse(block ?? '');
      expect(resolveMail(hooks.mail).problems).toEqual([]);
      expect(hooks.presets).toContain('mail');
    }
  });

  it('lists exactly the fields of a message', async () => {
    expect((await named('What arrives')).toSorted()).toEqual(Object.keys(FIELDS).toSorted());
  });

  it('lists exactly the states', async () => {
    expect((await named('Outages')).toSorted()).toEqual(Object.keys(STATES).toSorted());
  });
});
