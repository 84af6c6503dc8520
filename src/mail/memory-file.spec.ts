import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MailStoreHeld, openMailMemory } from './memory-file.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mail-store-'));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('openMailMemory', () => {
  it('remembers how far each mailbox is', () => {
    const store = openMailMemory(dir);
    expect(store.cursor('a')).toBeUndefined();
    store.saveCursor('a', { uidValidity: '18446744073709551615', lastUid: 4_294_967_295 });
    store.saveCursor('a', { uidValidity: '7', lastUid: 2 });
    store.close();
    const again = openMailMemory(dir);
    expect(again.cursor('a')).toEqual({ uidValidity: '7', lastUid: 2 });
    again.close();
  });

  it('belongs to one watcher, and is free when that one ends', () => {
    const store = openMailMemory(dir);
    expect(() => openMailMemory(dir)).toThrow(MailStoreHeld);
    expect(() => openMailMemory(dir)).toThrow(MailStoreHeld);
    store.saveCursor('a', { uidValidity: '7', lastUid: 1 });
    store.close();
    openMailMemory(dir).close();
  });

  it('is held by the watcher of an earlier build, too, which locks the file itself', () => {
    openMailMemory(dir).close();
    const earlier = new DatabaseSync(join(dir, 'mail.sqlite'));
    earlier.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
    expect(() => openMailMemory(dir)).toThrow(MailStoreHeld);
    earlier.close();
    openMailMemory(dir).close();
  });

  it('can be read by its owner alone', () => {
    const store = openMailMemory(dir);
    for (const name of ['mail.sqlite', 'mail.lock'])
      expect(statSync(join(dir, name)).mode & 0o077).toBe(0);
    store.close();
  });

  it('makes no directory: a service may try again after its own was taken away', () => {
    const gone = join(dir, 'data');
    expect(() => openMailMemory(gone)).toThrow('ENOENT');
    expect(existsSync(gone)).toBe(false);
  });

  it('keeps an outage until it is over', () => {
    const store = openMailMemory(dir);
    const { id, isNotified } = store.beginOutage('me');
    expect(isNotified).toBe(false);
    store.markNotified('me');
    expect(store.beginOutage('me')).toEqual({ id, isNotified: true });
    store.endOutage('me');
    expect(store.beginOutage('me').id).not.toBe(id);
    store.close();
  });
});
