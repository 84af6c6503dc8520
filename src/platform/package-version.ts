import { existsSync, readFileSync } from 'node:fs';

export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version }: { version: string } = JSON.parse(text);
  return version;
}

/**
 * This build, as a ledger keeps it: `0.1.0 (commit bae2b81 of 2026-11-23)`, or the version alone where nobody knows the
 * commit. The last step of a build in a checkout writes it down (scripts/bundle-service.mjs).
 */
export function buildName(): string {
  const file = new URL('../build.json', import.meta.url);
  if (!existsSync(file)) return packageVersion();
  const { commit }: { commit: string } = JSON.parse(readFileSync(file, 'utf8'));
  return `${packageVersion()} (${commit})`;
}
