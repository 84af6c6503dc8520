import { cpSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MAIN } from '../support/service-process.ts';

/** What a later release may bring: columns, tables and indexes beside what is there, and functions with other texts. */
const CHANGES: readonly (readonly [from: RegExp, to: string])[] = [
  [
    /(\{ number: (\d+), sql: [\w $+]+, worksFrom: (\d+) \}),?\s*\]/g,
    `$1, { number: $2 + 1, worksFrom: $3, sql: \`
      ALTER TABLE events ADD COLUMN next_of_events text NOT NULL DEFAULT 'added';
      ALTER TABLE work ADD COLUMN next_of_work bigint;
      ALTER TABLE runs ADD COLUMN next_of_runs text;
      CREATE INDEX next_of_runs ON runs (next_of_runs) WHERE next_of_runs IS NOT NULL;
      CREATE TABLE next_things (id uuid PRIMARY KEY, at bigint NOT NULL);\` }]`,
  ],
  [/-- One more is in hand\./g, '-- One more is.'],
];

/** Makes the release after the one that was built, in a directory. @returns its `main.js` */
export function nextRelease(dir: string): string {
  const built = dirname(MAIN);
  const release = join(dir, 'dist');
  cpSync(built, release, { recursive: true });
  cpSync(join(built, '..', 'package.json'), join(dir, 'package.json'));
  symlinkSync(
    fileURLToPath(new URL('../../node_modules', import.meta.url)),
    join(dir, 'node_modules'),
  );
  const found = CHANGES.map(() => 0);
  for (const file of globSync(join(release, '**/*.js'))) {
    const text = readFileSync(file, 'utf8');
    const changed = CHANGES.reduce((now, [from, to], n) => {
      const next = now.replace(from, to);
      found[n]! += Number(next !== now);
      return next;
    }, text);
    if (changed !== text) writeFileSync(file, changed);
  }
  if (found.includes(0)) throw new Error('the build has other texts than next-release.ts changes');
  return join(release, 'main.js');
}
