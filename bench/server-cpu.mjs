// What a PostgreSQL of test/support/postgres-server.ts spends.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** CPU of all processes of the server so far, those that have ended included, in microseconds. */
export function serverMicros(server) {
  const postmaster = readFileSync(join(server.dir, 'data/postmaster.pid'), 'utf8').split('\n')[0];
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      const isPostmaster = pid === postmaster;
      if (!isPostmaster && fields[1] !== postmaster) continue;
      // utime and stime; of the postmaster also those of its children that have ended.
      ticks += fields.slice(11, isPostmaster ? 15 : 13).reduce((sum, it) => sum + Number(it), 0);
    } catch {
      // It has just ended.
    }
  }
  return ticks * 10_000;
}
