import { createInterface } from 'node:readline';
import type { Interface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { getText, parseJson } from '../platform/objects.ts';
import type { SetupAnswer, SetupLine, SetupQuestion } from '../service/index.ts';
import { interrupted } from './prompts.ts';
import type { Choice, Prompts, TextQuestion } from './prompts.ts';
import type { Output, Streams } from './terminal.ts';

/*
 * A command that is asked by a program, not at a terminal: the running service shows its words and questions to an
 * operator, and hands on the answers (src/service/setup). Both speak JSON lines.
 */

/** How long a command may take to leave things in order once whoever asked has gone. */
const LAST_MOMENT_MS = 2000;

/** What such a command has in place of a terminal. When stdin closes, the command ends as by Ctrl-C. */
export class LineFace implements Disposable {
  readonly streams: Streams;
  readonly prompts: Prompts;
  readonly #stdin: Readable;
  readonly #answers: Interface;

  constructor({ stdin, stdout }: { readonly stdin: Readable; readonly stdout: Writable }) {
    const say = (line: SetupLine): void => void stdout.write(`${JSON.stringify(line)}\n`);
    const said = (isResult: boolean): Output =>
      Object.assign(new Lines((line) => say({ said: line, isResult })), { columns: Infinity });
    this.#stdin = stdin;
    this.#answers = createInterface({ input: stdin });
    this.streams = { stdin: Readable.from([]), stdout: said(true), stderr: said(false) };
    this.prompts = new LinePrompts(this.#answers, say);
    this.#answers.once('close', end);
  }

  [Symbol.dispose](): void {
    this.#answers.off('close', end).close();
    this.#stdin.destroy();
  }
}

/** What is under way hears of it as of a Ctrl-C; what does not hear is not waited for. */
function end(): void {
  process.emit('SIGINT');
  setTimeout(() => process.exit(interrupted().exitCode), LAST_MOMENT_MS).unref();
}

/** Questions and answers, one after the other. */
class LinePrompts implements Prompts {
  readonly isElsewhere = true;
  #open: PromiseWithResolvers<string> | undefined;
  #hasLeft = false;

  constructor(
    answers: Interface,
    private readonly say: (line: SetupLine) => void,
  ) {
    answers.on('line', (line) => {
      const answer = getText(parseJson(line), 'answer' satisfies keyof SetupAnswer);
      if (answer !== undefined) this.#open?.resolve(answer);
    });
    answers.once('close', () => {
      this.#hasLeft = true;
      this.#open?.reject(interrupted());
    });
  }

  text({ message, initialValue, validate }: TextQuestion): Promise<string> {
    return this.#until({ kind: 'text', message, initial: initialValue ?? null }, (answer) =>
      validate?.(answer),
    );
  }

  password(message: string): Promise<string> {
    return this.#until({ kind: 'password', message }, (answer) =>
      answer === '' ? 'Type it' : undefined,
    );
  }

  async confirm(message: string, initialValue = true): Promise<boolean> {
    const choices = [
      { value: 'yes', label: 'Yes' },
      { value: 'no', label: 'No' },
    ];
    const initial = initialValue ? 'yes' : 'no';
    return (await this.#until({ kind: 'confirm', message, choices, initial })) === 'yes';
  }

  async select<T extends string>(message: string, choices: readonly Choice<T>[]): Promise<T> {
    const initial = choices[0]?.value ?? null;
    const answer = await this.#until({ kind: 'select', message, choices, initial });
    const chosen = choices.find(({ value }) => value === answer);
    if (chosen === undefined) throw new TypeError(`no such choice: ${answer}`);
    return chosen.value;
  }

  showEvent(eventId: string): void {
    this.say({ eventId });
  }

  /** Asks again while something is wrong with the answer. */
  async #until(
    question: Pick<SetupQuestion, 'kind' | 'message'> & Partial<SetupQuestion>,
    validate?: (answer: string) => string | undefined,
  ): Promise<string> {
    for (let problem: string | null = null; ;) {
      if (this.#hasLeft) throw interrupted();
      this.#open = Promise.withResolvers();
      this.say({ asked: { choices: [], initial: null, ...question, problem } });
      const answer = (await this.#open.promise).trim();
      problem = validate?.(answer) ?? null;
      if (problem === null) return answer;
    }
  }
}

/** What is written, line by line; what has not ended a line yet waits. */
class Lines extends Writable {
  readonly #decoder = new StringDecoder();
  #rest = '';

  constructor(private readonly tell: (line: string) => void) {
    super();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.tell(line);
    done();
  }
}
