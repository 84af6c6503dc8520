// What of dist is packed: code without its comments (those that readers need are in the declarations), and only the
// declarations that a face of the package reaches. It is a fifth of the package, and no user reads it.
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { transform } from 'esbuild';

const { exports: faces } = JSON.parse(readFileSync('package.json', 'utf8'));
const reached = new Set();

/** Follows what a declaration imports, relative paths only. */
function reach(path) {
  if (reached.has(path)) return;
  reached.add(path);
  const text = readFileSync(path, 'utf8');
  for (const [, specifier] of text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.ts['"]/g))
    reach(`${join(dirname(path), specifier)}.d.ts`);
}

for (const face of Object.values(faces)) if (face.types !== undefined) reach(normalize(face.types));

for (const name of readdirSync('dist', { recursive: true, encoding: 'utf8' })) {
  const path = join('dist', name);
  if (path.endsWith('.d.ts') && !reached.has(path)) rmSync(path);
  if (!path.endsWith('.js')) continue;
  const { code } = await transform(readFileSync(path, 'utf8'), { target: 'esnext' });
  writeFileSync(path, code);
}
