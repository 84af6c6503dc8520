// TypeScript of ours, compiled by swc as Nest's decorators need it: once, and kept by its content in node_modules/.cache.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../', import.meta.url).href;
const CACHE = new URL('../../node_modules/.cache/typescript/', import.meta.url);
const OPTIONS = {
  module: { type: 'es6' },
  sourceMaps: true,
  jsc: {
    target: 'es2023',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
};
const require = createRequire(import.meta.url);

/** File of the source map of each module that was loaded: Jest asks for it when it writes a stack. */
export const sourceMaps = new Map();

mkdirSync(CACHE, { recursive: true });

registerHooks({
  load(url, context, next) {
    const { pathname } = new URL(url);
    const isOurs = url.startsWith(ROOT) && !pathname.includes('/node_modules/');
    if (!isOurs || !pathname.endsWith('.ts')) return next(url, context);
    const path = fileURLToPath(url);
    const text = readFileSync(path, 'utf8');
    const kept = fileURLToPath(
      new URL(createHash('sha1').update(path).update(text).digest('hex'), CACHE),
    );
    sourceMaps.set(url, `${kept}.map`);
    try {
      return { format: 'module', source: readFileSync(`${kept}.js`, 'utf8'), shortCircuit: true };
    } catch {
      const { code, map } = require('@swc/core').transformSync(text, {
        ...OPTIONS,
        filename: path,
      });
      write(`${kept}.map`, map);
      write(`${kept}.js`, code);
      return { format: 'module', source: code, shortCircuit: true };
    }
  },
});

/** Whole or not at all: another worker may be at the same file. */
function write(file, text) {
  writeFileSync(`${file}-${process.pid}`, text);
  renameSync(`${file}-${process.pid}`, file);
}
