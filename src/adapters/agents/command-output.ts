import { AgentError, type AgentReply } from '../../hooks/ports/agent-runner.ts';
import type { CommandSettings } from '../../hooks/ports/runner-settings.ts';
import { withoutTerminalCodes } from './terminal-codes.ts';

/** What may be put among a program's arguments: it never begins with a hyphen, so that it is never an option. */
const SESSION_ID = /^[A-Za-z0-9_][A-Za-z0-9_.:@/+=-]{0,255}$/;

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0b-\x1f\x7f]/g;

/**
 * The reply in a program's output. JSON is one document or one per line (events); each path is read where it is found
 * last. A program that tells no session id is none the worse for it.
 * @throws AgentError (permanent) when there is no reply at `resultPath`.
 */
export function replyIn(
  stdout: string,
  { output, resultPath, sessionIdPath }: CommandSettings,
): AgentReply {
  if (output === 'text') return { text: plain(stdout) };
  const documents = documentsIn(stdout);
  const text = lastText(documents, resultPath);
  if (text === undefined) {
    throw new AgentError(
      documents.length === 0
        ? 'the output of the command is not JSON: correct its arguments, or set runner.output to text'
        : `the output of the command has no text at "${resultPath}": correct runner.resultPath`,
      'permanent',
    );
  }
  const session = sessionIdPath === undefined ? undefined : lastText(documents, sessionIdPath);
  if (session === undefined) return { text: plain(text) };
  if (SESSION_ID.test(session)) return { text: plain(text), runnerSession: session };
  const warning = 'the session id of the command has characters that cannot be passed back to it';
  return { text: plain(text), warnings: [warning] };
}

/** Without colours and control characters. */
function plain(text: string): string {
  return withoutTerminalCodes(text).replace(CONTROL, '').toWellFormed().trim();
}

function documentsIn(stdout: string): readonly unknown[] {
  const whole = parsed(stdout);
  if (whole.length > 0) return whole;
  return stdout.split('\n').flatMap(parsed);
}

/** One document, the elements of an array, or nothing when it is not JSON. */
function parsed(text: string): readonly unknown[] {
  try {
    const document: unknown = JSON.parse(text);
    return Array.isArray(document) ? document : [document];
  } catch {
    return [];
  }
}

function lastText(documents: readonly unknown[], path: string): string | undefined {
  const keys = path.split('.');
  return documents.map((document) => keys.reduce(member, document)).findLast(isText);
}

function member(value: unknown, key: string): unknown {
  const isOwn = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
  return isOwn ? Reflect.get(value, key) : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
