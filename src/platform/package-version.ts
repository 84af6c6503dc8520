import { existsSync, readFileSync } from 'node:fs';

export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version }: { version: string } = JSON.parse(text);
  return version;
}

/** `0.1.0 (commit bae2b81 of 2026-11-23)`, or the version alone: scripts/bundle-service.mjs writes it. */
export function buildName(): string {
  const file = new URL('../build.json', import.meta.url);
  if (!existsSync(file)) return packageVersion();
  const { commit }: { commit: string } = JSON.parse(readFileSync(file, 'utf8'));
  return `${packageVersion()} (${commit})`;
}
