import { CliError, EXIT } from './cli-error.ts';

const INTERRUPTED = new CliError(
  'Interrupted.',
  'What was asked for may have been done: hooks events list',
  EXIT.interrupted,
);

/** Ctrl-C, or a polite end: the first asks the command to stop, a second ends the process at once. */
export class Interruption implements Disposable {
  readonly #abort = new AbortController();
  readonly #onSignal = () => this.#abort.abort(INTERRUPTED);

  constructor() {
    process.once('SIGINT', this.#onSignal);
    process.once('SIGTERM', this.#onSignal);
  }

  /** Aborts with a CliError of 130. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  [Symbol.dispose](): void {
    process.off('SIGINT', this.#onSignal);
    process.off('SIGTERM', this.#onSignal);
  }
}
