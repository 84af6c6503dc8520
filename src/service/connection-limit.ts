import { readFileSync, readdirSync } from 'node:fs';
import type { Server } from 'node:net';
import { Logger } from '@nestjs/common';
import type { Metrics } from './ops/index.ts';

const BETWEEN_LINES_MS = 60_000;

/** Descriptors that are left to the ledger, agents, channels and mail; of a small limit a quarter. */
const MOST_RESERVED = 256;

/** Connections that the operator's own listener is left with; of a small limit an eighth. */
const MOST_OF_OPERATOR = 128;

/**
 * Has the servers take no more connections than there are descriptors for, lest the system run out of them.
 * @param operator absent: one server for everything.
 */
export function limitConnections(
  hooks: Server,
  operator: Server | undefined,
  metrics: Metrics,
): void {
  const most = mostConnections();
  if (most === undefined) return;
  const kept = operator === undefined ? 0 : Math.min(MOST_OF_OPERATOR, Math.ceil(most / 8));
  limit(hooks, Math.max(1, most - kept), metrics);
  if (operator !== undefined) limit(operator, kept, metrics);
}

function limit(server: Server, most: number, metrics: Metrics): void {
  server.maxConnections = most;
  const logger = new Logger('Service');
  let dropped = 0;
  let toldAt = -Infinity;
  server.on('drop', () => {
    metrics.countDroppedConnection();
    dropped += 1;
    const now = performance.now();
    if (now - toldAt < BETWEEN_LINES_MS) return;
    toldAt = now;
    logger.warn({
      dropped,
      most,
      msg: 'connections are dropped: as many are open as this process may have; raise its limit of open files (ulimit -n, LimitNOFILE)',
    });
    dropped = 0;
  });
}

/** Undefined where the system does not say (anything but Linux), or sets no limit. */
function mostConnections(): number | undefined {
  try {
    const [, soft] =
      /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    if (soft === undefined) return undefined;
    const left = Number(soft) - readdirSync('/proc/self/fd').length;
    return Math.max(1, left - Math.min(MOST_RESERVED, Math.ceil(left / 4)));
  } catch {
    return undefined;
  }
}
