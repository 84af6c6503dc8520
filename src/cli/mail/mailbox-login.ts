import { SystemClock } from '../../hooks/index.ts';
import { MailTrialError, tryMailboxes } from '../../mail/index.ts';
import type { MailOptions, MailTrial, MailboxTrial } from '../../mail/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { asShortLine } from '../foreign-text.ts';
import type { Terminal } from '../terminal.ts';
import { providerOf } from './providers.ts';

const LONGEST_SUBJECT = 60;
const LONGEST_FROM = 30;
const LONGEST_NAME = 40;

/** Logs in and tells what it finds. @throws CliError with what to do */
export async function logIn(mail: MailOptions, terminal: Terminal): Promise<MailTrial> {
  const { host, port, secure, user, account } = mail;
  const place = `${host}:${port ?? (secure ? 993 : 143)}`;
  terminal.note(asShortLine(`logging in to ${place} as ${user ?? account}`, terminal.columns * 2));
  try {
    const trial = await tryMailboxes(mail, new SystemClock());
    for (const mailbox of trial.mailboxes) terminal.note(proofOf(mailbox));
    return trial;
  } catch (error) {
    throw error instanceof MailTrialError ? refusal(error, mail, place) : error;
  }
}

/** The newest message's subject is what nobody sees who is not logged in. It is foreign text: never shown raw. */
function proofOf({ mailbox, messages, newest }: MailboxTrial): string {
  const name = asShortLine(mailbox, LONGEST_NAME);
  const count = messages === 1 ? '1 message' : `${messages} messages`;
  if (newest === undefined) return `${name}: ${count}`;
  const subject = asShortLine(newest.subject, LONGEST_SUBJECT);
  const from = asShortLine(newest.from, LONGEST_FROM);
  return `${name}: ${count}; the newest is "${subject}" from ${from}, ${newest.date.slice(0, 10)}`;
}

function refusal(
  { kind, reason, known }: MailTrialError,
  mail: MailOptions,
  place: string,
): CliError {
  const provider = providerOf(mail.host);
  if (kind === 'credentials') {
    const hint =
      provider?.advice ??
      'check the user name and the password; many providers want an app password';
    return new CliError(`${reason} (${place})`, hint, EXIT.failed);
  }
  if (kind === 'no-mailbox') {
    const names = known.map((name) => asShortLine(name, LONGEST_NAME)).join(', ');
    return new CliError(asShortLine(reason, 120), `there are: ${names}`, EXIT.failed);
  }
  return new CliError(`${reason} (${place})`, wayTo(reason), EXIT.unreachable);
}

function wayTo(reason: string): string {
  return reason.includes('WRONG_VERSION_NUMBER')
    ? 'the server does not speak TLS from the first byte on this port: add --starttls, or give another --port'
    : 'check --host, --port and --starttls, and whether this machine may reach it';
}
