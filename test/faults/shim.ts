import { execFileSync } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseJournal } from './journal.ts';
import type { JournalRecord } from './journal.ts';

const SOURCE = fileURLToPath(new URL('shim.c', import.meta.url));
const LIBRARY = fileURLToPath(new URL('../../node_modules/.cache/faults/shim.so', import.meta.url));

/** Which calls can be made to fail, in the order of shim.c. */
const KINDS = ['fsync', 'write', 'stat'] as const;
type Kind = (typeof KINDS)[number];
/** every, error, left, injected */
const FIELDS = 4;
const INTEGER_BYTES = 4;

/** A disk that fails when it is told to, for a process that is started with {@link env} (shim.c). */
export class Shim {
  readonly #control: number;
  readonly #journal: string;
  readonly #env: Record<string, string>;

  /** @param watched the directory whose files are meant; @param scratch where the shim's own files may be */
  constructor(watched: string, scratch: string) {
    build();
    const control = join(scratch, 'shim-control');
    writeFileSync(control, Buffer.alloc(4096));
    this.#control = openSync(control, 'r+');
    this.#journal = join(scratch, 'shim-journal');
    this.#env = { LD_PRELOAD: LIBRARY, FAULTS_DIR: watched, FAULTS_CONTROL: control };
  }

  get env(): Record<string, string> {
    return this.#env;
  }

  get journaling(): Record<string, string> {
    return { ...this.#env, FAULTS_JOURNAL: this.#journal };
  }

  /** Lets each `every`-th call of a kind fail with an error, `times` times; without `times` until it is told otherwise. */
  fail(
    kind: Kind,
    error: 'EIO' | 'ENOSPC',
    { every = 1, times = -1 }: { every?: number; times?: number } = {},
  ): void {
    this.#set(KINDS.indexOf(kind) * FIELDS, every, constants.errno[error], times);
  }

  slowDown(ms: number): void {
    this.#set(KINDS.length * FIELDS, ms);
  }

  slowWrites(ms: number): void {
    this.#set(KINDS.length * FIELDS + 1, ms);
  }

  heal(): void {
    for (const kind of KINDS.keys()) this.#set(kind * FIELDS, 0);
    this.slowDown(0);
    this.slowWrites(0);
  }

  injected(kind: Kind): number {
    const found = Buffer.alloc(INTEGER_BYTES);
    readSync(this.#control, found, 0, INTEGER_BYTES, (KINDS.indexOf(kind) * FIELDS + 3) * 4);
    return found.readInt32LE();
  }

  journal(): JournalRecord[] {
    return parseJournal(readFileSync(this.#journal));
  }

  #set(place: number, ...values: readonly number[]): void {
    const bytes = Buffer.from(Int32Array.from(values).buffer);
    writeSync(this.#control, bytes, 0, bytes.length, place * INTEGER_BYTES);
  }
}

/** Compiles the shim; a second's work, so it is done once per process and not kept in step with its source. */
let isBuilt = false;
function build(): void {
  if (isBuilt) return;
  mkdirSync(dirname(LIBRARY), { recursive: true });
  execFileSync('gcc', ['-O1', '-shared', '-fPIC', '-Wall', '-o', LIBRARY, SOURCE, '-ldl']);
  isBuilt = true;
}
