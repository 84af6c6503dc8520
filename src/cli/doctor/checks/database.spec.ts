import { DoctorDirectory } from '../../../../test/support/doctor-directory.ts';
import { database } from './ledger.ts';

const URL = 'postgres://hooks:right-password-of-hooks@db.example.com/gateway?sslmode=verify-full';

let dir: DoctorDirectory;
beforeEach(() => (dir = new DoctorDirectory()));
afterEach(() => dir[Symbol.dispose]());

describe('doctor: database', () => {
  it('asks no database where the ledger is a file', async () => {
    const [found] = await dir.configure().findings(database);
    expect(found).toMatchObject({ severity: 'info', what: 'the ledger is a file in store.dir' });
  });

  it('says what it is, and whether a ledger is there', async () => {
    dir.configure({ store: { postgres: { url: URL } } });
    const state = { version: '15.18', edition: { number: 2, newest: 2 }, unsafe: [] };
    dir.tryDatabase = async () => state;
    expect(await dir.findings(database)).toMatchObject([
      {
        severity: 'ok',
        what: 'PostgreSQL 15.18 answers; the ledger is in its schema hooks, of edition 2, the newest',
      },
    ]);
    dir.tryDatabase = async () => ({ ...state, edition: null, unsafe: ['fsync'] });
    expect(await dir.findings(database)).toMatchObject([
      { severity: 'ok', what: expect.stringContaining('a ledger will be made') },
      { severity: 'warning', what: expect.stringContaining('fsync is off') },
    ]);
  });

  it.each([
    [1, 'of edition 1: the next start upgrades it to 2 (docs/upgrading.md)'],
    [3, 'of edition 3: newer services work on it, and this build can beside them'],
  ])('says what a start does to a ledger of edition %i', async (number, what) => {
    dir.configure({ store: { postgres: { url: URL } } });
    dir.tryDatabase = async () => ({
      version: '15.18',
      edition: { number, newest: 2 },
      unsafe: [],
    });
    expect(await dir.findings(database)).toMatchObject([
      { severity: 'ok', what: expect.stringContaining(what) },
    ]);
  });

  it('says why it cannot be used', async () => {
    dir.configure({ store: { postgres: { url: URL } } });
    dir.tryDatabase = () => Promise.reject(new Error('it is not running'));
    expect(await dir.findings(database)).toMatchObject([
      { severity: 'error', what: 'it is not running' },
    ]);
  });
});
