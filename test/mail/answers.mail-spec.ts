import { Logger } from '@nestjs/common';
import { FastClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import type { Received, Reply } from './hook-server.ts';
import { letter } from './lmtp.ts';
import { MailSuite } from './suite.ts';
import { Watched } from './watched.ts';

const suite = MailSuite.inThisFile();

beforeAll(() => Logger.overrideLogger(false));

async function withWaiting(subjects: readonly string[], pace = 10): Promise<Watched> {
  const account = suite.account();
  const watched = await Watched.start(account, suite.imap);
  await watched.end();
  for (const subject of subjects) await suite.lmtp.deliver(account, letter(account, { subject }));
  watched.clock = new FastClock(pace);
  return watched;
}

function holds(received: Received, subject: string): boolean {
  return received.body.messages?.some((message) => message.subject === subject) === true;
}

describe('an answer that says later', () => {
  it.each([503, 500, 504, 408, 429])(
    '%i: the same mail again until it is accepted',
    async (status) => {
      await using watched = await withWaiting(['a', 'b']);
      const refuse: Reply = { status };
      watched.hook.reply = () => (watched.hook.received.length < 4 ? refuse : { status: 200 });
      watched.begin();
      await watched.accepts(2);
      expect(watched.hook.subjects).toEqual(['a', 'b']);
      expect(watched.hook.received).toHaveLength(5);
      expect(watched.watcher?.report().mailboxes[0]?.refused).toBe(0);
    },
  );

  it('is shown as hook-unavailable, with what waits', async () => {
    await using watched = await withWaiting(['a', 'b']);
    watched.hook.reply = () => ({ status: 503 });
    watched.begin();
    await watched.is('hook-unavailable');
    expect(watched.watcher?.report().mailboxes[0]).toMatchObject({ waiting: 2, delivered: 0 });
    expect(watched.watcher?.report().mailboxes[0]?.lastError?.message).toContain('503');
  });
});

describe('an answer that only a person can change', () => {
  it.each([401, 404, 301])('%i: misconfigured, and nothing is lost', async (status) => {
    await using watched = await withWaiting(['a'], 100);
    watched.hook.reply = () => ({ status, headers: { location: 'http://127.0.0.1:9/' } });
    watched.begin();
    await watched.is('misconfigured');
    expect(watched.watcher?.report().isDegraded).toBe(true);
    watched.hook.reply = () => ({ status: 200 });
    await watched.accepts(1);
    await watched.is('watching');
  });
});

describe('a message that the hook refuses', () => {
  it.each([
    [400, {}],
    [422, {}],
    [500, { eventId: 'e-1', code: 'transform_failed' }],
  ])('%i: is found among others and passed alone', async (status, body) => {
    const subjects = ['a', 'b', 'bad', 'c', 'd'];
    await using watched = await withWaiting(subjects);
    watched.hook.reply = (received) =>
      holds(received, 'bad') ? { status, body } : { status: 200 };
    watched.begin();
    await watched.accepts(4);
    await eventually('all is over', () => watched.watcher?.report().mailboxes[0]?.waiting === 0);
    expect(watched.hook.subjects).toEqual(['a', 'b', 'c', 'd']);
    expect(watched.watcher?.report().mailboxes[0]).toMatchObject({ delivered: 4, refused: 1 });
    expect(watched.watcher?.report().mailboxes[0]?.lastError?.message).toMatch(/uid \d+: /u);
  });
});

describe('the limit of a body', () => {
  it('413 for everything over a size: every message arrives, the large ones shortened', async () => {
    await using watched = await withWaiting(['a', 'b']);
    const account = watched.mail.account;
    const text = 'Wörter und mehr Wörter.\r\n'.repeat(1_000);
    await suite.lmtp.deliver(account, letter(account, { subject: 'long', text }));
    watched.hook.reply = ({ bytes }) => ({ status: bytes > 3_000 ? 413 : 200 });
    watched.begin();
    await watched.accepts(3);
    expect(watched.hook.subjects).toEqual(['a', 'b', 'long']);
    expect(watched.hook.accepted[2]).toMatchObject({ truncated: true });
  });
});
