import { basename } from 'node:path';

import { AgentError } from '../../hooks/ports/agent-runner.ts';
import type { AgentReply } from '../../hooks/ports/agent-runner.ts';
import type { CommandSettings } from '../../hooks/ports/agent-directory.ts';
import { errorCode } from '../../platform/errors.ts';
import { getField, parseJson } from '../../platform/objects.ts';
import { MAX_OUTPUT_BYTES, type Program, type ProgramEnd } from './program.ts';

/** Colours are removed from all output, keys and the prompt from what is shown of the error output. */

/** What may be put among a program's arguments: it never begins with a hyphen, so that it is never an option. */
const SESSION_ID = /^[A-Za-z0-9_][A-Za-z0-9_.:@/+=-]{0,255}$/;

/** Control characters but tab and line feed, which a reply may hold. */
// oxlint-disable-next-line no-control-regex
const CONTROL_IN_REPLY = /[\0-\x08\x0b-\x1f\x7f]/g;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\x1f\x7f]/g;

/** Each path counts where it is last. @throws AgentError (permanent) without a reply; it repeats no input, no secret */
export function parseReply(
  stdout: string,
  { output, resultPath, sessionIdPath }: CommandSettings,
  input = '',
  secrets: Secrets = {},
): AgentReply {
  if (output === 'text') return { text: toPlainText(stdout) };
  const documents = parseDocuments(stdout);
  const text = findLastText(documents, resultPath);
  if (text === undefined) {
    const said = showableLines(findReason(documents, resultPath) ?? '', input, secrets).join(' / ');
    const why = `the output of the command has no text at "${resultPath}" but says: ${shorten(said)}`;
    if (said !== '') throw new AgentError(why, 'permanent');
    throw new AgentError(
      documents.length === 0
        ? 'the output of the command is not JSON: correct its arguments, or set runner.output to text'
        : `the output of the command has no text at "${resultPath}": correct runner.resultPath`,
      'permanent',
    );
  }
  const session = sessionIdPath === undefined ? undefined : findLastText(documents, sessionIdPath);
  if (session === undefined) return { text: toPlainText(text) };
  if (SESSION_ID.test(session)) return { text: toPlainText(text), runnerSession: session };
  const warning = 'the session id of the command has characters that cannot be passed back to it';
  return { text: toPlainText(text), warnings: [warning] };
}

/** The program's own id of its conversation, whatever else its output says; undefined: there is none that could be passed back. */
export function readSession(
  stdout: string,
  { sessionIdPath }: Pick<CommandSettings, 'sessionIdPath'>,
): string | undefined {
  const session = sessionIdPath && findLastText(parseDocuments(stdout), sessionIdPath);
  return session !== undefined && SESSION_ID.test(session) ? session : undefined;
}

function toPlainText(text: string): string {
  return stripTerminalCodes(text).replace(CONTROL_IN_REPLY, '').toWellFormed().trim();
}

function parseDocuments(stdout: string): readonly unknown[] {
  const whole = parseDocument(stdout);
  return whole.length > 0 ? whole : stdout.split('\n').flatMap(parseDocument);
}

/** One document, the elements of an array, or nothing when it is not JSON. */
function parseDocument(text: string): readonly unknown[] {
  const document = parseJson(text);
  if (document === undefined) return [];
  return Array.isArray(document) ? document : [document];
}

function findLastText(documents: readonly unknown[], path: string): string | undefined {
  const keys = path.split('.');
  return documents
    .map((document) => getField(document, ...keys))
    .findLast((value) => typeof value === 'string');
}

/** The machine lacks something for a moment, and no program was started. */
const PASSING_CODES = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

export function explainStartFailure(error: unknown, command: string): AgentError {
  const code = errorCode(error) ?? 'unknown error';
  const name = basename(command);
  if (code === 'ENOENT') {
    const advice = 'install it, or set runner.command to its absolute path';
    return new AgentError(`the command "${name}" was not found: ${advice}`, 'permanent');
  }
  if (code === 'EACCES') {
    const advice = 'make it an executable file of this user';
    return new AgentError(`the command "${name}" may not be run: ${advice}`, 'permanent');
  }
  return new AgentError(
    `the command "${name}" could not be started (${code})`,
    PASSING_CODES.has(code) ? 'retryable' : 'permanent',
  );
}

/** Values that must not be shown, by the name that stands for them. */
export type Secrets = Readonly<Record<string, string>>;

/** Undefined when it ended well. A program that ran may have acted: no failure is retryable. */
export function explainFailedEnd(
  end: ProgramEnd,
  program: Pick<Program, 'command' | 'input'>,
  settings: Pick<CommandSettings, 'output' | 'resultPath'>,
  secrets: Secrets,
): AgentError | undefined {
  const { code, endedBy, isTooLong } = end;
  const name = basename(program.command);
  if (isTooLong) {
    const limit = `${MAX_OUTPUT_BYTES / 1024 / 1024} MB`;
    return new AgentError(`the command "${name}" wrote more than ${limit}`, 'permanent');
  }
  if (code === 0) return undefined;
  const how = endedBy === null ? `ended with exit code ${code}` : `was ended by ${endedBy}`;
  const why = sayings(end, settings)
    .map((text) => showableLines(text, program.input, secrets).join(' / '))
    .find((text) => text !== '');
  const said = why === undefined ? '' : `: ${shorten(why)}`;
  return new AgentError(`the command "${name}" ${how}${said}`, 'permanent');
}

/** How much is shown of what a program says, in characters: 2 KB of the shortest lines, joined. */
const MAX_SHOWN_CHARS = 4096;

function shorten(text: string): string {
  return text.length <= MAX_SHOWN_CHARS
    ? text
    : `${text.slice(0, MAX_SHOWN_CHARS).toWellFormed()}…`;
}

/** Where a program that failed may have said why, the likeliest place first. */
function sayings(
  { stdout, stderr }: ProgramEnd,
  { output, resultPath }: Pick<CommandSettings, 'output' | 'resultPath'>,
): readonly string[] {
  const inJson =
    output === 'json'
      ? [findReason(parseDocuments(stdout), resultPath), findReason(parseLast(stderr), resultPath)]
      : [];
  return [...inJson.filter((text) => text !== undefined), stderr, keepEnd(stdout)];
}

/** Where JSON output has an error's text: Codex and Gemini CLI; opencode; Codex; Copilot CLI. */
const REASON_PATHS = ['error.message', 'error.data.message', 'message', 'data.message'];

function findReason(documents: readonly unknown[], resultPath: string): string | undefined {
  const paths = [resultPath, ...REASON_PATHS];
  const texts = documents.flatMap((document) => {
    const text = paths.map((path) => findLastText([document], path)).find(Boolean);
    return text === undefined ? [] : [text];
  });
  return texts.at(-1);
}

/** The document that ends an error output and begins on a line of its own. */
function parseLast(stderr: string): readonly unknown[] {
  const lines = stderr.split('\n');
  const starts = lines.flatMap((line, at) => (line.startsWith('{') ? [at] : []));
  const documents = starts.map((at) => parseDocument(lines.slice(at).join('\n')));
  return documents.find((found) => found.length > 0) ?? [];
}

/** The last 2 KB in whole lines: half a line could be the half of a key, which nobody would recognise. */
function keepEnd(text: string): string {
  const end = text.slice(-2048);
  return end === text ? text : end.split('\n').slice(1).join('\n');
}

/** A shorter value cannot be told from an ordinary word. */
const MIN_SECRET_CHARS = 8;
/** Shorter lines of the input are found in any text. */
const MIN_LINE_CHARS = 4;
/** A line is looked for in the input in pieces of this length: 23 characters in a row are always found. */
const PIECE_CHARS = 12;

function showableLines(stderr: string, input: string, secrets: Secrets): string[] {
  const asked = new Set(splitLines(input).filter((line) => line.length >= MIN_LINE_CHARS));
  return splitLines(hideSecrets(stderr, secrets)).filter((line) => !isEcho(line, input, asked));
}

function splitLines(text: string): string[] {
  return stripTerminalCodes(text)
    .split(/[\r\n]+/)
    .map((line) => line.replace(CONTROL, ' ').trim())
    .filter((line) => line !== '');
}

function isEcho(line: string, input: string, asked: ReadonlySet<string>): boolean {
  if (input.includes(line)) return true;
  for (let at = 0; at + PIECE_CHARS <= line.length; at += PIECE_CHARS) {
    if (input.includes(line.slice(at, at + PIECE_CHARS))) return true;
  }
  return asked.values().some((other) => line.includes(other));
}

/** A value of several lines is recognised by each of them. */
function hideSecrets(text: string, secrets: Secrets): string {
  return Object.entries(secrets)
    .flatMap(([name, value]) => value.split(/[\r\n]+/).map((line) => ({ name, line: line.trim() })))
    .filter(({ line }) => line.length >= MIN_SECRET_CHARS)
    .reduce((rest, { name, line }) => rest.replaceAll(line, `[${name}]`), text);
}

/** A title or a link: `ESC ]`, any text, and its end. One whose end never comes is no code. */
const TERMINAL_COMMAND = String.raw`\x1b\][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)`;
/** A colour, a movement, a mode: `ESC [`, numbers, and the letter that says what. */
const TERMINAL_SEQUENCE = String.raw`[\x1b\x9b][[\]()#;?]*(?:\d{1,4}(?:[;:]\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]`;
const TERMINAL_CODES = new RegExp(`${TERMINAL_COMMAND}|${TERMINAL_SEQUENCE}`, 'g');

/** In linear time: Node's `stripVTControlCharacters` takes minutes for a megabyte of beginnings without an end. */
function stripTerminalCodes(text: string): string {
  return text.replace(TERMINAL_CODES, '');
}
