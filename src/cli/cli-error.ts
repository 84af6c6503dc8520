/** How the process of a command ends (docs/cli.md). 130, interrupted, is the shell's own. */
export const EXIT = {
  fine: 0,
  /** The thing failed, or problems were found. */
  failed: 1,
  usage: 2,
  /** The service (or the mailbox) cannot be reached. */
  unreachable: 3,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Why a command could not do what it was asked: one sentence, and what to do about it. */
export class CliError extends Error {
  override readonly name = 'CliError';

  constructor(
    message: string,
    readonly hint?: string,
    readonly exitCode: ExitCode = EXIT.failed,
  ) {
    super(message);
  }
}
