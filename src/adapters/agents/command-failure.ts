import { basename } from 'node:path';

import { AgentError } from '../../hooks/ports/agent-runner.ts';
import { complaintOf, type Secrets } from './command-complaint.ts';
import { type Ended, MAX_OUTPUT_BYTES, type Program } from './command-process.ts';

/** The machine lacks something for a moment, and no program was started. */
const LATER = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** Why a program could not be started. */
export function startFailure(error: unknown, command: string): AgentError {
  const code = codeOf(error);
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
    LATER.has(code) ? 'retryable' : 'permanent',
  );
}

/** Why a program that ran gave no reply; undefined when it ended well. It may have acted: no failure is retryable. */
export function endFailure(
  ended: Ended,
  program: Program,
  secrets: Secrets,
): AgentError | undefined {
  const { code, endedBy, isTooLong } = ended;
  const name = basename(program.command);
  if (isTooLong) {
    const limit = `${MAX_OUTPUT_BYTES / 1024 / 1024} MB`;
    return new AgentError(`the command "${name}" wrote more than ${limit}`, 'permanent');
  }
  if (code === 0) return undefined;
  const how = endedBy === null ? `ended with exit code ${code}` : `was ended by ${endedBy}`;
  const complaint = complaintOf(ended.stderr, program.input, secrets);
  return new AgentError(`the command "${name}" ${how}${complaint}`, 'permanent');
}

/** The system's code of an error, e.g. `ENOENT`. */
export function codeOf(error: unknown): string {
  const code: unknown =
    typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : 'unknown error';
}
