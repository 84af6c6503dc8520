import { toFailure } from './inline-host.ts';

function sqliteError(errcode: number): Error {
  return Object.assign(new Error('raw'), { errcode });
}

const WRITER = { files: {} };

describe('toFailure', () => {
  it.each([
    [13, 'the ledger cannot be written: the disk is full (no space left on the device, ENOSPC)'],
    [778, 'the ledger cannot be written: the disk reports an error'],
    [1032, 'the ledger cannot be written: it became read-only'],
    [11, 'the ledger is damaged: put a backup of ledger.db in its place'],
  ])('takes SQLite code %i for trouble with the store', (code, message) => {
    const failure = { index: 3, unavailable: true, message };
    expect(toFailure(WRITER, 3, sqliteError(code))).toMatchObject(failure);
  });

  it.each([
    [sqliteError(11), 'raw'],
    [sqliteError(267), 'raw'],
    [sqliteError(13), undefined],
    [new SyntaxError('no JSON'), 'what is stored of an event is no JSON'],
    [new Error('a bug'), undefined],
  ])('says how %s shows that the file is damaged', (error, damage) => {
    expect(toFailure(WRITER, 0, error).damage).toBe(damage);
  });

  it('does not quote what is stored', () => {
    let thrown: unknown;
    try {
      JSON.parse('Bearer hunter2');
    } catch (error) {
      thrown = error;
    }
    const damage = 'what is stored of an event is no JSON';
    expect(toFailure(WRITER, 0, thrown)).toEqual({
      index: 0,
      unavailable: false,
      message: damage,
      damage,
    });
  });

  it('takes damage that a question meets for trouble that may pass', () => {
    const error = new SyntaxError('no JSON');
    expect(toFailure({}, 0, error).unavailable).toBe(true);
    expect(toFailure(WRITER, 0, error).unavailable).toBe(false);
  });

  it('takes a broken constraint for a failure of the call', () => {
    expect(toFailure(WRITER, 0, sqliteError(2067))).toMatchObject({ unavailable: false });
  });
});
