// docs/design/service.md
import { setTimeout as delay } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import { OpenedLedger } from '../hooks/index.ts';
import { errorMessage } from '../platform/errors.ts';
import { EXIT_CODES, endAtOnce } from '../platform/stop-request.ts';
import type { StopRequest, StopSignal } from '../platform/stop-request.ts';
import type { JsonLogger } from './json-logger.ts';

/** How long connections, threads and the ledger may take to close once runs have had their time, in milliseconds. */
const CLOSING_MS = 5000;

/**
 * Ends the process, with 0 in good order. A start may be broken off anywhere: the system frees the lock, and upgrades
 * are one transaction.
 */
export class OrderlyStop {
  readonly #request: StopRequest;
  readonly #logger: JsonLogger;
  #app: INestApplication | undefined;
  #shutdownMs = 0;
  #closed: Promise<void> | undefined;

  constructor(request: StopRequest, logger: JsonLogger) {
    this.#request = request;
    this.#logger = logger;
    void request.made.then((signal) => this.#end(signal));
  }

  get isRequested(): boolean {
    return this.#request.isMade;
  }

  /** What has to be closed, once its ledger is open. @param shutdownSeconds time for runs to end */
  closes(app: INestApplication, shutdownSeconds: number): void {
    this.#app = app;
    this.#shutdownMs = shutdownSeconds * 1000;
  }

  close(): Promise<void> {
    this.#closed ??= this.#app?.close();
    return this.#closed ?? Promise.resolve();
  }

  async #end(signal: StopSignal): Promise<void> {
    if (this.#app?.get(OpenedLedger, { strict: false }).current === undefined) {
      this.#log('log', `${signal}: the start is broken off, and nothing was begun.`);
      return endAtOnce(0);
    }
    this.#log('log', `${signal}: finishing what runs; a second signal ends at once.`);
    void this.#endWhenLate(signal);
    try {
      await this.close();
      process.exit(0);
    } catch (error) {
      this.#log(
        'error',
        `${signal}: the service did not end in good order: ${errorMessage(error)}`,
      );
      process.exit(1);
    }
  }

  async #endWhenLate(signal: StopSignal): Promise<void> {
    const ms = this.#shutdownMs + CLOSING_MS;
    await delay(ms);
    this.#log(
      'error',
      `${signal}: not everything has closed in ${ms / 1000} s: the process ends at once.`,
    );
    endAtOnce(EXIT_CODES[signal]);
  }

  #log(level: 'log' | 'error', sentence: string): void {
    this.#logger[level](sentence, 'Service');
  }
}
