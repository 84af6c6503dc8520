import { statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { DOTENV_FILE, GATEWAY_FILE } from '../../../standalone/configuration-files.ts';
import type { Check, Patient } from '../check.ts';
import { error, info, ok, warning } from '../finding.ts';
import type { Found } from '../finding.ts';
import { secretsOf } from '../secrets.ts';

/** One file or directory, and what others may do with it. */
interface Guarded {
  readonly path: string;
  /** True: it holds secrets or payloads. */
  readonly isSecret: boolean;
}

const OTHERS_READ = 0o044;
const OTHERS_WRITE = 0o022;

/** Who else on this machine can read secrets, or change what hooks do. */
export const files: Check = {
  name: 'files',
  needs: 'nothing',
  run(patient) {
    if (process.platform === 'win32') return [info('permissions are not checked on Windows')];
    const found = guardedBy(patient).flatMap(({ path, isSecret }) => {
      const stats = statSync(path, { throwIfNoEntry: false });
      return stats === undefined ? [] : lapsesOf(path, stats, isSecret);
    });
    return found.length > 0 ? found : [ok('only this user can read secrets and change hooks')];
  },
};

function guardedBy({ inspection }: Patient): Guarded[] {
  const { dir, resolved, demoHookToken } = inspection;
  const hasLiterals = secretsOf(inspection).some(({ isLiteral }) => isLiteral);
  const data = resolved?.store.dir;
  return [
    { path: dir, isSecret: false },
    { path: join(dir, GATEWAY_FILE), isSecret: hasLiterals },
    { path: join(dir, DOTENV_FILE), isSecret: true },
    { path: join(dir, 'transforms'), isSecret: false },
    { path: demoHookToken.path, isSecret: true },
    ...(data === undefined ? [] : [data, ...LEDGER.map((name) => join(data, name))]).map(
      (path) => ({ path, isSecret: true }),
    ),
    ...(resolved === undefined ? [] : [{ path: resolved.operatorTokenFile.path, isSecret: true }]),
  ];
}

const LEDGER = ['ledger.db', 'ledger.db-wal', 'ledger.db-shm', 'mail.sqlite'];

function lapsesOf(path: string, { mode, uid }: Stats, isSecret: boolean): Found[] {
  const found: Found[] = [];
  const strict = isSecret ? 'go-rwx' : 'go-w';
  const fix = `chmod ${strict} '${path.replaceAll("'", String.raw`'\''`)}'`;
  if ((mode & OTHERS_WRITE) !== 0) found.push(error(`${path} can be changed by other users`, fix));
  else if (isSecret && (mode & OTHERS_READ) !== 0) {
    found.push(error(`${path} can be read by other users`, fix));
  }
  const own = process.getuid?.();
  if (own !== undefined && own !== 0 && uid !== own && uid !== 0) {
    found.push(
      warning(
        `${path} belongs to another user (${uid})`,
        'change its owner to that of the service',
      ),
    );
  }
  return found;
}
