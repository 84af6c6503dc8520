import { Worker } from 'node:worker_threads';
import type { ThreadData } from './calls.ts';

/**
 * Starts a thread of the ledger: from the sources in tests (Node strips the types of what a thread imports, so those
 * files keep to syntax that can be erased), from the build otherwise. It gets nothing of the process's environment; only
 * sources are told where Node may keep what it stripped, or every thread would begin by loading a compiler.
 */
export function startThread(name: 'writer' | 'reader', data: ThreadData): Worker {
  const isSource = import.meta.url.endsWith('.ts');
  const entry = new URL(`./thread/${name}.${isSource ? 'ts' : 'js'}`, import.meta.url);
  const { NODE_COMPILE_CACHE: cache } = process.env;
  const env = isSource && cache !== undefined ? { NODE_COMPILE_CACHE: cache } : {};
  return new Worker(entry, { workerData: data, env, execArgv: [], name: `ledger-${name}` });
}
