import { resume } from './mailbox.ts';
import { toMailboxKey, toMessageId } from './message.ts';

describe('resume', () => {
  it.each([
    ['first', undefined, 41],
    ['kept', { uidValidity: '7', lastUid: 30 }, 30],
    ['kept', { uidValidity: '7', lastUid: 41 }, 41],
    ['renumbered', { uidValidity: '6', lastUid: 30 }, 41],
    ['renumbered', { uidValidity: '7', lastUid: 42 }, 41],
  ])('%s, from %j: goes on behind uid %i', (reason, saved, lastUid) => {
    const resumption = resume(saved, { uidValidity: '7', uidNext: 42 });
    expect(resumption).toEqual({ reason, cursor: { uidValidity: '7', lastUid } });
  });

  it('begins an empty mailbox before its first message', () => {
    expect(resume(undefined, { uidValidity: '1', uidNext: 1 }).cursor.lastUid).toBe(0);
  });
});

describe('toMessageId', () => {
  it('differs by account, mailbox, numbering and uid', () => {
    const keys = [
      toMailboxKey('a@x', 'INBOX'),
      toMailboxKey('b@x', 'INBOX'),
      toMailboxKey('a@x', 'Work'),
    ];
    const ids = keys.flatMap((key) => ['1', '2'].map((validity) => toMessageId(key, validity, 3)));
    expect(new Set([...ids, toMessageId(keys[0] ?? '', '1', 4)]).size).toBe(7);
  });

  it('is the same for the same mailbox however it is written', () => {
    expect(toMailboxKey('A@x', 'inbox')).toBe(toMailboxKey('a@X', 'INBOX'));
    expect(toMailboxKey('a@x', 'Work')).not.toBe(toMailboxKey('a@x', 'work'));
  });
});
