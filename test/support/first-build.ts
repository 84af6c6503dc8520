import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Whose ledgers are of edition 1. */
const COMMIT = 'bae2b81';

/** The service of edition 1, built from the history of this checkout for the tests of a file. */
export class FirstBuild {
  readonly #dir = mkdtempSync(join(tmpdir(), 'first-build-'));

  static inThisFile(): FirstBuild {
    const build = new FirstBuild();
    beforeAll(() => build.#make(), 300_000);
    afterAll(() => rmSync(build.#dir, { recursive: true }));
    return build;
  }

  get main(): string {
    return join(this.#dir, 'dist', 'main.js');
  }

  #make(): void {
    const run = (command: string) =>
      execFileSync('bash', ['-ec', `set -o pipefail; ${command}`], { cwd: this.#dir });
    try {
      run(`git -C '${ROOT}' archive ${COMMIT} | tar x`);
    } catch (error) {
      throw new Error(`commit ${COMMIT} is not here: git fetch --unshallow`, { cause: error });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(this.#dir, 'node_modules'));
    run('node_modules/.bin/nest build && node scripts/bundle-service.mjs');
  }
}
