import { Database } from '../../src/ledger/postgres/connection.ts';
import { HeldTexts } from '../../src/ledger/postgres/held-texts.ts';
import { migrate } from '../../src/ledger/postgres/migrate.ts';
import { MailMemory } from '../../src/mail/memory.ts';
import { atLast } from '../support/eventually.ts';
import type { TestDatabase } from '../support/postgres-server.ts';
import { PostgresSuite } from './suite.ts';

describe('HeldTexts', () => {
  const suite = PostgresSuite.inThisFile();
  let one: TestDatabase;
  let database: Database;
  let instances: readonly [HeldTexts, HeldTexts];

  beforeEach(async () => {
    one = await suite.server.database();
    const options = { url: one.url, schema: 'hooks' };
    database = await Database.of({ ...options, connections: 2 });
    await migrate(database, Date.now());
    instances = [new HeldTexts(options), new HeldTexts(options)];
  });
  afterEach(async () => {
    await database.close();
    await Promise.all(instances.map((texts) => texts.close()));
    await one[Symbol.asyncDispose]();
  });

  it('gives a text to one of many, and to the next what the last one saved', async () => {
    const all = await Promise.all([0, 1, 0, 1].map((n) => instances[n]!.take('mail')));
    const [held, ...more] = all.filter((text) => text !== null);
    expect([held?.text, more]).toEqual(['', []]);
    expect(await instances[1].take('other')).toMatchObject({ text: '' });
    held!.save('one');
    held!.save('two');
    await held!.release();
    const next = await instances[1].take('mail');
    expect(next?.text).toBe('two');
    await next!.release();
  });

  it('says so when another has it, and writes nothing any more', async () => {
    const held = await instances[0].take('mail');
    await database.query("UPDATE @schema.held_texts SET held_until = 0 WHERE name = 'mail'");
    const next = await instances[1].take('mail');
    expect(next).not.toBeNull();
    held!.save('late');
    await atLast('it is lost', () => held!.lost.aborted);
    await held!.release();
    await next!.release();
    expect((await instances[0].take('mail'))?.text).toBe('');
  });

  it('keeps what a watcher of mail remembers', async () => {
    const held = await instances[0].take('mail');
    const memory = new MailMemory(held!);
    const cursor = { uidValidity: '7', lastUid: 12 };
    memory.saveCursor('INBOX', cursor);
    memory.saveRefreshToken('configured', 'newest');
    const outage = memory.beginOutage('me');
    memory.markNotified('me');
    await held!.release();
    const next = await instances[1].take('mail');
    const again = new MailMemory(next!);
    expect([again.cursor('INBOX'), again.cursor('Sent')]).toEqual([cursor, undefined]);
    expect(again.refreshToken('configured')).toBe('newest');
    expect(again.beginOutage('me')).toEqual({ ...outage, isNotified: true });
    again.endOutage('me');
    expect(again.beginOutage('me').id).not.toBe(outage.id);
    await next!.release();
  });
});
