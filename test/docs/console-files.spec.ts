import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const ASSETS = join(import.meta.dirname, '../../dist/console/assets');
const INDEX = readFileSync(join(ASSETS, '../index.html'), 'utf8');

/** A file with all that it imports at once, not what it loads later. */
function withImports(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  if (!file.endsWith('.js')) return found;
  const text = readFileSync(join(ASSETS, file), 'utf8');
  for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+)["'`]/g)) {
    withImports(imported, found);
  }
  return found;
}

function gzipped(files: Iterable<string>): number {
  return [...files].reduce(
    (sum, file) => sum + gzipSync(readFileSync(join(ASSETS, file))).length,
    0,
  );
}

describe('The built console', () => {
  const named = [...INDEX.matchAll(/\.\/assets\/([\w.-]+)/g)].map(([, file = '']) => file);
  const views = readdirSync(ASSETS).filter((file) => /^(now|events)-.*\.(js|css)$/.test(file));

  it('has at most 250 KB gzipped for its first view', () => {
    const first = new Set([...named, ...views].flatMap((file) => [...withImports(file)]));

    expect(named.length).toBeGreaterThan(1);
    expect(views.length).toBeGreaterThan(0);
    expect(gzipped(first)).toBeLessThan(250_000);
  });

  it('has nothing inline, which its content policy would refuse', () => {
    expect(INDEX).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bon\w+=|\bstyle=/);
  });
});
