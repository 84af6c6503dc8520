import { accessSync, constants, existsSync, statSync, statfsSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeRefusal } from '../../../platform/node-version.ts';
import {
  DOTENV_FILE,
  FRAGMENTS_DIR,
  GATEWAY_FILE,
  diskRoom,
  findLapse,
  listSecrets,
} from '../../../service/index.ts';
import { error, info, ok, warning } from '../check.ts';
import type { Check, CheckResult, DoctorContext } from '../check.ts';

export const node: Check = {
  name: 'node',
  needs: 'nothing',
  run({ nodeVersion }) {
    const refusal = nodeRefusal(nodeVersion);
    if (refusal === undefined) return [ok(`Node ${nodeVersion}`)];
    return [error(`Node ${nodeVersion} is too old`, refusal)];
  },
};

export const disk: Check = {
  name: 'disk',
  needs: 'configuration',
  run({ resolved: { store } }) {
    const place = nearestExisting(store.dir);
    try {
      accessSync(place, constants.W_OK);
    } catch {
      return [error(`${place} cannot be written by this user`, 'change its owner, or store.dir')];
    }
    const { bavail, bsize } = statfsSync(place);
    const { room, lack } = diskRoom(bavail * bsize);
    if (lack === undefined) return [ok(`${room} are free for ${store.dir}`)];
    const { severity, what, todo } = lack;
    return [{ severity, what, fix: todo }];
  },
};

/** The directory itself, or the one in which it would be made. */
export function nearestExisting(dir: string): string {
  return existsSync(dir) || dirname(dir) === dir ? dir : nearestExisting(dirname(dir));
}

interface Guarded {
  readonly path: string;
  /** True: it holds secrets or payloads. */
  readonly isSecret: boolean;
}

/** Who else on this machine can read secrets, or change what hooks do. */
export const files: Check = {
  name: 'files',
  needs: 'nothing',
  run(context) {
    if (process.platform === 'win32') return [info('permissions are not checked on Windows')];
    const found = guardedBy(context).flatMap(({ path, isSecret }) => {
      const stats = statSync(path, { throwIfNoEntry: false });
      return stats === undefined ? [] : findLapses(path, stats, isSecret);
    });
    return found.length > 0 ? found : [ok('only this user can read secrets and change hooks')];
  },
};

function guardedBy({ inspection }: DoctorContext): Guarded[] {
  const { dir, resolved, demoHookToken, files } = inspection;
  const withSecrets = new Set(listSecrets(inspection).map(({ file }) => file));
  const data = resolved?.store.dir;
  return [
    { path: dir, isSecret: false },
    { path: join(dir, FRAGMENTS_DIR), isSecret: false },
    ...[GATEWAY_FILE, ...(files.fragments ?? []).map(({ file }) => file)].map((file) => ({
      path: join(dir, file),
      isSecret: withSecrets.has(file),
    })),
    { path: join(dir, DOTENV_FILE), isSecret: true },
    { path: join(dir, 'transforms'), isSecret: false },
    { path: demoHookToken.path, isSecret: true },
    ...(data === undefined ? [] : [data, ...LEDGER.map((name) => join(data, name))]).map(
      (path) => ({ path, isSecret: true }),
    ),
    ...(resolved === undefined ? [] : [{ path: resolved.operatorTokenFile.path, isSecret: true }]),
  ];
}

const LEDGER = ['ledger.db', 'ledger.db-wal', 'ledger.db-shm', 'mail.sqlite', 'token-uses.json'];

function findLapses(path: string, { uid }: Stats, isSecret: boolean): CheckResult[] {
  const lapse = findLapse(path, isSecret);
  const found: CheckResult[] =
    lapse === undefined ? [] : [error(`${path} ${lapse.message}`, lapse.fix)];
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
