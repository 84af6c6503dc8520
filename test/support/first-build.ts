import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Whose ledgers are of edition 1. */
const COMMIT = 'bae2b81';

/** Builds the service of edition 1 from the history of this checkout, in a directory. @returns its `main.js` */
export function firstBuild(dir: string): string {
  const run = (command: string) => execFileSync('bash', ['-ec', command], { cwd: dir });
  try {
    run(`git -C '${ROOT}' archive ${COMMIT} | tar x`);
  } catch (error) {
    throw new Error(`commit ${COMMIT} is not here: git fetch --unshallow`, { cause: error });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  run('node_modules/.bin/nest build && node scripts/bundle-service.mjs');
  return join(dir, 'dist', 'main.js');
}
