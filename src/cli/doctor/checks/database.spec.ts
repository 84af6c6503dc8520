import { DoctorDirectory } from '../../../../test/support/doctor-directory.ts';
import { database } from './database.ts';

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
    const state = { version: '15.18', hasLedger: true, unsafe: [] };
    dir.tryDatabase = async () => state;
    expect(await dir.findings(database)).toMatchObject([
      { severity: 'ok', what: 'PostgreSQL 15.18 answers; the ledger is in its schema hooks' },
    ]);
    dir.tryDatabase = async () => ({ ...state, hasLedger: false, unsafe: ['fsync'] });
    expect(await dir.findings(database)).toMatchObject([
      { severity: 'ok', what: expect.stringContaining('a ledger will be made') },
      { severity: 'warning', what: expect.stringContaining('fsync is off') },
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
