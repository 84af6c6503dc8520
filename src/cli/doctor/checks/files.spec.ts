import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DoctorDirectory } from '../../../../test/support/doctor-directory.ts';
import { keptAsWritten, writeFragment } from '../../../service/index.ts';
import { files } from './machine.ts';

let dir: DoctorDirectory;
beforeEach(() => (dir = new DoctorDirectory()));
afterEach(() => dir[Symbol.dispose]());

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

  it('counts a fragment among the secrets when one is written out in it, and gateway.json5 not', async () => {
    mode('gateway.json5', 0o644);
    writeFragment(dir.path, 'mail', keptAsWritten(mailWith('${HOOK}')), 'the tests');
    mode('gateway.d/mail.json5', 0o644);
    expect(await dir.findings(files)).toMatchObject([{ severity: 'ok' }]);
    writeFragment(dir.path, 'mail', mailWith('an-app-password'), 'the tests');
    expect(await dir.findings(files)).toMatchObject([{ severity: 'ok' }]);
    mode('gateway.d/mail.json5', 0o644);
    const path = join(dir.path, 'gateway.d/mail.json5');
    expect(await dir.findings(files)).toMatchObject([
      { severity: 'error', what: `${path} can be read by other users` },
    ]);
  });
});

function mailWith(password: string): Record<string, unknown> {
  const mail = { account: 'ann@example.com', host: 'imap.test', auth: { password } };
  return { hooks: { presets: ['mail'], mail } };
}
