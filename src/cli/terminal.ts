import type { Readable, Writable } from 'node:stream';
import { stripVTControlCharacters, styleText } from 'node:util';
import type { InspectColor } from 'node:util';
import { CliError, EXIT } from './cli-error.ts';
import type { ExitCode } from './cli-error.ts';
import { asLine, safeJson } from './foreign-text.ts';
import type { Prompts } from './prompts.ts';

export interface Streams {
  readonly stdin: Readable & Partial<Pick<NodeJS.ReadStream, 'isTTY'>>;
  readonly stdout: Output;
  readonly stderr: Output;
}

export type Output = Writable &
  Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'getColorDepth'>>;

type Format = InspectColor | readonly InspectColor[];

/** Columns where the width of the terminal is unknown, and most that a table ever takes. */
const COLUMNS = 80;

/** Columns where no terminal cuts anything: whole ids, and room for words. */
const WHERE_NOTHING_IS_CUT = 200;

const GAP = '  ';

/** Fewest characters a column of a table is cut down to. */
const NARROWEST = 6;

const ERASE_LINE = '\r\u001b[2K';

/** Where a command's words go: results to stdout, everything else to stderr. Colours only where a person looks. */
export class Terminal {
  /** What the process ends with, once the command is done. */
  exitCode: ExitCode = EXIT.fine;

  #commands: RegExp | null = null;

  /**
   * @param env says which colours the terminal has (TERM, NO_COLOR, …), and what began this process
   * @param prompts undefined: nobody is there who can be asked
   */
  constructor(
    readonly streams: Streams,
    private readonly env: Record<string, string | undefined> = {},
    readonly prompts?: Prompts,
  ) {}

  /** Width that text and tables may take, at most 80 where there is one. */
  get columns(): number {
    return Math.min(this.streams.stdout.columns || COLUMNS, COLUMNS);
  }

  /** The same for lists whose lines tell more where there is room: all of the terminal, or what a file or a pipe may take. */
  get wholeWidth(): number {
    const { stdout } = this.streams;
    return stdout.isTTY ? stdout.columns || COLUMNS : WHERE_NOTHING_IS_CUT;
  }

  print(line = ''): void {
    this.streams.stdout.write(`${line}\n`);
  }

  /** A sentence of ours, on as many lines as it takes; its commands as they are typed here. */
  printWrapped(text: string, indents?: Indents): void {
    for (const line of wrapped(this.typed(text), this.columns, indents)) this.print(line);
  }

  printJson(document: unknown): void {
    this.print(safeJson(document, 2));
  }

  /** Rows whose columns are aligned; what does not fit is cut with …. The first row is the head. */
  printTable(rows: readonly (readonly string[])[]): void {
    const [head = '', ...lines] = tableLines(rows, this.columns);
    this.print(this.style('bold', head));
    for (const line of lines) this.print(line);
  }

  /** Progress and advice, which are not part of the result; its commands as they are typed here. */
  note(line: string): void {
    this.streams.stderr.write(`${this.typed(line)}\n`);
  }

  /** @param names of all commands, by which {@link typed} tells them from prose about hooks. */
  learnCommands(names: readonly string[]): void {
    const name = `(?:${names.join('|')})(?![\\w-])`;
    this.#commands = new RegExp(`(?<![\\w./-]|npx )hooks (?=${name})`, 'g');
  }

  /** A text of ours whose commands begin with what has to be typed here: `npx hooks` where npx was. */
  typed(text: string): string {
    return this.#commands === null
      ? text
      : text.replace(this.#commands, `${programName(this.env)} `);
  }

  /** `text` in a colour, where stdout is a terminal and NO_COLOR is not set. */
  style(format: Format, text: string): string {
    return this.#styled(format, text, this.streams.stdout);
  }

  styleNote(format: Format, text: string): string {
    return this.#styled(format, text, this.streams.stderr);
  }

  #styled(format: Format, text: string, stream: Output): string {
    const hasColours = stream.isTTY === true && (stream.getColorDepth?.(this.env) ?? 1) > 1;
    return hasColours ? styleText(format, text, { validateStream: false }) : text;
  }
}

/** What npm says of itself to what it begins. */
function programName({ npm_lifecycle_event: begunBy }: Record<string, string | undefined>): string {
  if (begunBy === 'npx') return 'npx hooks';
  return begunBy === 'hooks' ? 'npm run -s hooks --' : 'hooks';
}

/** One line on stderr that is written over and over; nothing where stderr is no terminal. */
export class Progress implements Disposable {
  readonly #terminal: Terminal;
  #shown = '';

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** @param text may be foreign. */
  show(text: string): void {
    const { stderr } = this.#terminal.streams;
    // One column stays free: a full line would break, and the next could not write over it.
    const line = cut(asLine(text), this.#terminal.columns - 1);
    if (!stderr.isTTY || line === this.#shown) return;
    this.#shown = line;
    stderr.write(`${ERASE_LINE}${line}`);
  }

  [Symbol.dispose](): void {
    if (this.#shown !== '') this.#terminal.streams.stderr.write(ERASE_LINE);
  }
}

interface Indents {
  readonly first?: string;
  readonly rest?: string;
}

/** A text as lines of at most `columns` visible characters, broken at blanks, and not at those that are no-break spaces. */
function wrapped(
  text: string,
  columns: number,
  { first = '', rest = first }: Indents = {},
): string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(' ')) {
    if (!isEmpty && measureWidth(line) + 1 + measureWidth(word) > columns) {
      lines.push(line);
      line = rest;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].map((whole) => whole.replaceAll('\u00A0', ' '));
}

function measureWidth(text: string): number {
  return stripVTControlCharacters(text).length;
}

/** Rows as lines of at most `columns` characters: cells aligned, the widest columns cut first. */
export function tableLines(rows: readonly (readonly string[])[], columns: number): string[] {
  const widths = fitting(measureWidths(rows), columns);
  return rows.map((row) =>
    widths
      .map((width, index) => pad(cut(row[index] ?? '', width), width))
      .join(GAP)
      .trimEnd(),
  );
}

/** `text`, or its start and … */
export function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let shown = '';
  let taken = 1;
  for (const letter of text) {
    taken += widthOf(letter);
    if (taken > width) break;
    shown += letter;
  }
  return `${shown}…`;
}

export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** How many columns of a terminal a line takes that has no codes in it. */
export function displayWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const letter of text) width += widthOf(letter);
  return width;
}

/** Marks stand upon the letter before, as do joiners and selectors. */
const NO_COLUMN = /^(?:\p{Mn}|\p{Me}|\u200c|\u200d|\ufe0e|\ufe0f)$/u;
const TWO_COLUMNS =
  /^[\p{Emoji_Presentation}\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]$/u;

function widthOf(letter: string): number {
  if (NO_COLUMN.test(letter)) return 0;
  return TWO_COLUMNS.test(letter) ? 2 : 1;
}

function measureWidths(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, displayWidth(cell));
    }
  }
  return widths;
}

function fitting(widths: readonly number[], columns: number): number[] {
  const fitted = [...widths];
  const room = columns - GAP.length * Math.max(widths.length - 1, 0);
  let excess = fitted.reduce((sum, width) => sum + width, 0) - room;
  for (; excess > 0; excess -= 1) {
    const widest = fitted.indexOf(Math.max(...fitted));
    if ((fitted[widest] ?? 0) <= NARROWEST) break;
    fitted[widest] = (fitted[widest] ?? 0) - 1;
  }
  return fitted;
}

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
