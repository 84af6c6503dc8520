// Where the CPU of a request goes, thread by thread.
import { load } from './load.mjs';
import { REQUESTS } from './services.mjs';
import { printTable } from './table.mjs';

/** Less than this in µs per request is left out. */
const LEAST = 0.05;

/** One table over all variants: µs per request of each thread, user and system apart. */
export async function printThreads(servers, variants, how) {
  const rows = [];
  for (const { label, server, request } of variants) {
    const before = servers[server].threads();
    const { requests } = await load(servers[server], REQUESTS[request], how);
    for (const [thread, after] of servers[server].threads()) {
      const { user, system } = before.get(thread) ?? { user: 0, system: 0 };
      const spent = [after.user - user, after.system - system].map((micros) => micros / requests);
      if (spent[0] + spent[1] < LEAST) continue;
      rows.push([label, ...spent.map((micros) => `${micros.toFixed(1)} µs`), thread]);
    }
  }
  printTable([`CPU per request, ${how.connections} connections`, 'user', 'system', 'thread'], rows);
}
