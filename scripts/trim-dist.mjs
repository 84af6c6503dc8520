// What of dist is packed: the code that a face, the service, the command or a thread reaches, without its comments (those
// that readers need are in the declarations), and the declarations that a face reaches. The rest is in the bundles.
import { readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { transformSync } from 'esbuild';
import ts from 'typescript';

const { exports: faces, bin } = JSON.parse(readFileSync('package.json', 'utf8'));
const files = readdirSync('dist', { recursive: true, encoding: 'utf8' }).map((name) =>
  join('dist', name),
);
const reached = new Set();

/** Nobody reads bundles: without their blanks, in lines that a trace can still name. */
const BLANKLESS = { minifyWhitespace: true, lineLimit: 160, target: 'esnext' };
const BUNDLES =
  /^dist\/(?:parts\/|service\/start\.js|cli\/run-cli\.js|ledger\/sqlite\/worker\/worker\.js)/;

// Names of classes stay: they are in the logs of a host, and in what Nest says of its providers.
const compilerOptions = { module: 'esnext', target: 'esnext', removeComments: true };

/** Follows what a module or a declaration imports, relative paths only. */
function reach(path) {
  if (reached.has(path)) return;
  reached.add(path);
  const text = readFileSync(path, 'utf8');
  const [, end] = /(\.d\.ts|\.js)$/.exec(path);
  for (const [, specifier] of text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.[jt]s['"]/g))
    reach(`${join(dirname(path), specifier)}${end}`);
}

for (const face of Object.values(faces).filter(({ types }) => types !== undefined)) {
  reach(normalize(face.types));
  reach(normalize(face.default));
}
// Threads are begun by their address, and so is the command of the console's guide.
for (const path of [normalize(bin.hooks), 'dist/main.js']) reach(path);
for (const path of files) if (['worker.js', 'thread.js'].includes(basename(path))) reach(path);

// The console is for browsers: its build has left nothing to trim.
for (const path of files.filter((name) => /^(?!dist\/console\/).*\.(?:js|d\.ts)$/.test(name))) {
  if (!reached.has(path)) rmSync(path);
  else if (BUNDLES.test(path)) {
    writeFileSync(path, transformSync(readFileSync(path, 'utf8'), BLANKLESS).code);
  } else if (path.endsWith('.js')) {
    // By its name it is read as JavaScript: `f(a < b, c > (d))` is something else in TypeScript.
    const options = { compilerOptions, fileName: path };
    const { outputText } = ts.transpileModule(readFileSync(path, 'utf8'), options);
    writeFileSync(path, outputText);
  }
}

// Too old for scripts/build-if-stale.mjs: tests and a service of this checkout need all of it.
utimesSync('dist/main.js', 1, 1);
