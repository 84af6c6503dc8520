import { styleText } from 'node:util';
import type { InspectColor } from 'node:util';
import { EXIT } from './cli-error.ts';
import type { ExitCode } from './cli-error.ts';
import { safeJson } from './foreign-text.ts';
import { tableLines } from './table.ts';
import type { Indents } from './wrapped.ts';
import { wrapped } from './wrapped.ts';

/** The three streams of a process. */
export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

type Format = InspectColor | readonly InspectColor[];

/** Columns when nobody says how wide the terminal is, and most that a table ever takes. */
const COLUMNS = 80;

/** Where a command's words go: results to stdout, everything else to stderr. Colours only where a person looks. */
export class Terminal {
  /** What the process ends with, once the command is done. */
  exitCode: ExitCode = EXIT.fine;

  /** @param env says which colours the terminal has: TERM, NO_COLOR, … */
  constructor(
    readonly streams: Streams,
    private readonly env: Record<string, string | undefined> = {},
  ) {}

  /** Whether somebody sits there who can be asked. */
  get isInteractive(): boolean {
    return this.streams.stdin.isTTY && this.streams.stdout.isTTY;
  }

  /** Width that text and tables may take, at most 80. */
  get columns(): number {
    return Math.min(this.streams.stdout.columns || COLUMNS, COLUMNS);
  }

  /** One line of the result. */
  print(line = ''): void {
    this.streams.stdout.write(`${line}\n`);
  }

  /** A sentence of the result, on as many lines as it takes. */
  printWrapped(text: string, indents?: Indents): void {
    for (const line of wrapped(text, this.columns, indents)) this.print(line);
  }

  /** The whole result as one JSON document. */
  printJson(document: unknown): void {
    this.print(safeJson(document, 2));
  }

  /** Rows whose columns are aligned; what does not fit is cut with …. The first row is the head. */
  printTable(rows: readonly (readonly string[])[], columns = this.columns): void {
    const [head = '', ...lines] = tableLines(rows, columns);
    this.print(this.style('bold', head));
    for (const line of lines) this.print(line);
  }

  /** Progress and advice: not part of the result. */
  note(line: string): void {
    this.streams.stderr.write(`${line}\n`);
  }

  /** `text` in a colour, where stdout is a terminal and NO_COLOR is not set. */
  style(format: Format, text: string): string {
    return this.#styled(format, text, this.streams.stdout);
  }

  /** The same for what goes to stderr. */
  styleNote(format: Format, text: string): string {
    return this.#styled(format, text, this.streams.stderr);
  }

  #styled(format: Format, text: string, stream: NodeJS.WriteStream): string {
    const hasColours = stream.isTTY && stream.getColorDepth(this.env) > 1;
    return hasColours ? styleText(format, text, { validateStream: false }) : text;
  }
}
