import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PatientDirectory } from '../../../../test/support/patient.ts';
import { files } from './files.ts';

let dir: PatientDirectory;
beforeEach(() => (dir = new PatientDirectory()));
afterEach(() => dir[Symbol.dispose]());

/** Everything a service has, for its user alone. */
function kept(): void {
  dir.write('.env', 'HOOK=q7Xw2Lr9ZkT4mBv8YcN1sHd6').configure({ hooks: { token: '${HOOK}' } });
  mkdirSync(join(dir.path, 'data'));
  mkdirSync(join(dir.path, 'transforms'));
  dir.write('data/ledger.db', '').write('data/operator-token', 'x');
  mode('.env', 0o600);
  mode('data', 0o700);
  mode('data/ledger.db', 0o600);
  mode('data/operator-token', 0o600);
}

function mode(name: string, bits: number): void {
  chmodSync(join(dir.path, name), bits);
}

describe('doctor: files', () => {
  beforeEach(kept);

  it('is content when only this user reads secrets and writes', async () => {
    mode('gateway.json5', 0o644);
    mode('transforms', 0o755);
    expect(await dir.findings(files)).toMatchObject([{ severity: 'ok' }]);
  });

  it.each([
    ['.env', 0o640, 'can be read', 'go-rwx'],
    ['data', 0o755, 'can be read', 'go-rwx'],
    ['data/ledger.db', 0o644, 'can be read', 'go-rwx'],
    ['data/operator-token', 0o604, 'can be read', 'go-rwx'],
    ['gateway.json5', 0o666, 'can be changed', 'go-w'],
    ['transforms', 0o777, 'can be changed', 'go-w'],
    ['.', 0o777, 'can be changed', 'go-w'],
  ])('%s with mode %o %s by others', async (name, bits, what, change) => {
    mode(name, bits);
    const path = join(dir.path, name);
    expect(await dir.findings(files)).toMatchObject([
      {
        severity: 'error',
        what: `${path} ${what} by other users`,
        fix: `chmod ${change} '${path}'`,
      },
    ]);
  });

  it('counts gateway.json5 among the secrets when one is written out in it', async () => {
    dir.configure();
    mode('gateway.json5', 0o644);
    expect(await dir.findings(files)).toMatchObject([{ severity: 'error' }]);
  });
});
