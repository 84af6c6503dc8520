import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { parseJson } from '../../platform/objects.ts';
import { shorten } from '../../platform/shorten.ts';
import { isSetupLine } from './setup-lines.ts';
import type { SetupAnswer, SetupQuestion } from './setup-lines.ts';

/** One line of what was said. */
export interface SetupEntry {
  /** `result`: to be kept or entered elsewhere. `note`: what is done. `question` and `answer`: of the operator. */
  readonly kind: 'result' | 'note' | 'question' | 'answer';
  /** May hold foreign text. */
  readonly text: string;
}

/** Lines that are kept: npm says a lot. */
const MOST_ENTRIES = 1000;
const LONGEST_ENTRY = 10_000;
/** A command that does not end by itself is ended. */
const LAST_MOMENT_MS = 5000;
/** Stands for what is shown to nobody. */
const UNSEEN = '***';

/** One run of `hooks setup`: what it said, and what it waits for. It is in memory alone. */
export class SetupConversation {
  readonly id = randomUUID();
  readonly #entries: SetupEntry[] = [];
  readonly #secrets: string[] = [];
  readonly #ended: Promise<unknown>;
  #question: SetupQuestion | null = null;
  #count = 0;
  #eventId: string | null = null;
  #ending: 'done' | 'failed' | null = null;
  #isLeft = false;

  /** @param by the operator who began it, and alone is asked */
  constructor(
    readonly by: string,
    private readonly child: ChildProcessWithoutNullStreams,
  ) {
    createInterface({ input: child.stdout }).on('line', (line) => this.#hear(line));
    // Nothing but what Node says of a process that breaks.
    createInterface({ input: child.stderr }).on('line', (line) => this.#say('note', line));
    child.on('error', ({ message }) => this.#say('note', message));
    // Whoever ended has no need of an answer.
    child.stdin.on('error', () => {});
    this.#ended = new Promise((resolve) => {
      child.once('close', resolve);
      child.once('error', resolve);
    }).then(() => {
      this.#question = null;
      this.#ending = child.exitCode === 0 ? 'done' : 'failed';
    });
  }

  get entries(): readonly SetupEntry[] {
    return this.#entries;
  }

  /** Null: it waits for nobody. */
  get question(): (SetupQuestion & { readonly number: number }) | null {
    // What it asked before it heard of its end may still come.
    const question = this.#isLeft ? null : this.#question;
    return question && { ...question, number: this.#count };
  }

  /** The event that came of it; null: none yet. */
  get eventId(): string | null {
    return this.#eventId;
  }

  /** Null: it goes on. */
  get ending(): 'done' | 'failed' | null {
    return this.#ending;
  }

  /** Answers the open question; what it takes has been checked. */
  answer(text: string): void {
    const { question } = this;
    if (question === null) return;
    const isSecret = question.kind === 'password';
    if (isSecret && text !== '') this.#secrets.push(text);
    const label = question.choices.find(({ value }) => value === text)?.label;
    this.#say('question', question.message);
    this.#say('answer', isSecret ? UNSEEN : (label ?? text));
    this.#question = null;
    const answer: SetupAnswer = { answer: text };
    this.child.stdin.write(`${JSON.stringify(answer)}\n`);
  }

  /** Ends it as Ctrl-C would; resolves when its process has ended. */
  async end(): Promise<void> {
    this.#isLeft = true;
    this.child.stdin.end();
    const last = setTimeout(() => this.child.kill('SIGKILL'), LAST_MOMENT_MS);
    await this.#ended;
    clearTimeout(last);
  }

  #hear(text: string): void {
    const line = parseJson(text);
    // A package that writes to stdout by itself.
    if (!isSetupLine(line)) this.#say('note', text);
    else if ('said' in line) this.#say(line.isResult ? 'result' : 'note', line.said);
    else if ('eventId' in line) this.#eventId = line.eventId;
    else {
      this.#count += 1;
      this.#question = line.asked;
    }
  }

  /** A secret that somebody quotes is not shown again. */
  #say(kind: SetupEntry['kind'], text: string): void {
    const shown = this.#secrets.reduce((whole, one) => whole.replaceAll(one, UNSEEN), text);
    this.#entries.push({ kind, text: shorten(shown, LONGEST_ENTRY) });
    if (this.#entries.length > MOST_ENTRIES) this.#entries.shift();
  }
}
