import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');
/** Packages in CommonJS require what Node has. */
const REQUIRE = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

/**
 * A program as one file, made once: a start that finds the MCP SDK in a hundred takes three times as long.
 * @param sources the program, and what of ours it imports
 */
export function bundled(...sources: readonly string[]): string {
  const paths = sources.map((name) => join(import.meta.dirname, name));
  const digest = createHash('sha1');
  for (const path of [join(ROOT, 'package-lock.json'), ...paths]) digest.update(readFileSync(path));
  const file = join(ROOT, 'node_modules/.cache', `${digest.digest('hex')}.mjs`);
  if (existsSync(file)) return file;
  const outfile = `${file}-${process.pid}`;
  const shape = { bundle: true, minify: true, platform: 'node', format: 'esm' } as const;
  buildSync({ ...shape, entryPoints: paths.slice(0, 1), outfile, banner: { js: REQUIRE } });
  renameSync(outfile, file);
  return file;
}
