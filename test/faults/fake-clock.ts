import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LIBRARY = '/usr/lib/*/faketime/libfaketimeMT.so.1';

/** A wall clock that can be set while a process runs that was started with {@link env}; what measures time is not touched. */
export class FakeClock {
  readonly #file: string;

  constructor(scratch: string) {
    this.#file = join(scratch, 'clock');
    this.set('+0d');
  }

  get env(): Readonly<Record<string, string>> {
    const [library] = globSync(LIBRARY);
    if (library === undefined) throw new Error('run node test/faults/install-tools.mjs');
    return {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** Sets it so far from the right time, e.g. `-1d`, `+40d` or `+11m`. */
  set(offset: `${'+' | '-'}${number}${'d' | 'm'}`): void {
    writeFileSync(this.#file, offset);
  }
}
