import { Worker } from 'node:worker_threads';
import type { ThreadData } from './calls.ts';

/**
 * Starts a thread of the ledger: from the sources in tests (Node strips the types of what a thread imports, so those
 * files keep to syntax that can be erased), from the build otherwise. It gets nothing of the process's environment.
 */
export function startThread(name: 'writer' | 'reader', data: ThreadData): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const entry = new URL(`./thread/${name}.${extension}`, import.meta.url);
  return new Worker(entry, { workerData: data, env: {}, execArgv: [], name: `ledger-${name}` });
}
