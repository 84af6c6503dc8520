// main.ts and the command begin with this file: it imports nothing that has to be found first.
import { existsSync } from 'node:fs';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
export type StopSignal = (typeof SIGNALS)[number];

/** What a shell reports for a process that a signal ended. */
export const EXIT_CODES: Readonly<Record<StopSignal, number>> = { SIGTERM: 143, SIGINT: 130 };

/** A signal so soon after the first is the same: npm passes on what Ctrl-C has sent to the whole group. In milliseconds. */
const SAME_MS = 500;

/** How often it is looked whether npm is still there, in milliseconds. */
const LOOK_MS = 500;

/** The first process of a container is ended by no signal that it does not handle. A second signal ends it at once. */
export class StopRequest {
  readonly #requested = Promise.withResolvers<StopSignal>();
  #requestedAt: number | undefined;

  /** @param env whose variables say that npm has started the process */
  constructor(env: Readonly<Record<string, string | undefined>> = {}) {
    for (const signal of SIGNALS) process.on(signal, () => this.#take(signal));
    // The shell that npm starts a script with passes no signal on, and ends at it.
    if (!['start', 'npx'].includes(env['npm_lifecycle_event'] ?? '')) return;
    const shell = process.ppid;
    const look = setInterval(() => {
      if (process.ppid === shell) return;
      clearInterval(look);
      if (!this.isMade) this.#take('SIGTERM');
    }, LOOK_MS).unref();
  }

  get made(): Promise<StopSignal> {
    return this.#requested.promise;
  }

  get isMade(): boolean {
    return this.#requestedAt !== undefined;
  }

  #take(signal: StopSignal): void {
    const now = performance.now();
    this.#requestedAt ??= now;
    this.#requested.resolve(signal);
    if (now - this.#requestedAt > SAME_MS) endAtOnce(EXIT_CODES[signal]);
  }
}

/** What takes the place of a process that ends: it does nothing but end. */
const SHELL = '/bin/sh';

/**
 * `process.exit` waits minutes for a thread in SQLite, and the first process of a container cannot kill itself; where
 * another program takes its place, all threads end.
 */
export function endAtOnce(code: number): never {
  process.on('exit', () => {
    if (existsSync(SHELL)) process.execve?.(SHELL, [SHELL, '-c', `exit ${code}`], {});
  });
  process.exit(code);
}
