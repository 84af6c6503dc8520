import { text } from 'node:stream/consumers';
import { SystemClock } from '../../hooks/index.ts';
import { ConnectionCheckError, probeMailboxes } from '../../mail/index.ts';
import type { MailOptions, ConnectionCheck, MailboxCheck } from '../../mail/index.ts';
import { fragmentFile } from '../../service/index.ts';
import type { Inspection } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { defineCommand } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { keyWithoutFile } from '../config/planned-files.ts';
import { assertNoProblems, noteWarnings } from '../config/problem-lines.ts';
import { asLine, asShortLine } from '../foreign-text.ts';
import { networkLookups } from '../mail/mail-server.ts';
import { findProvider } from '../mail/providers.ts';
import { MAIL_FRAGMENT, planMailSetup, presentMail, withRefreshToken } from '../mail/setup-plan.ts';
import type { MailSetupPlan } from '../mail/setup-plan.ts';
import { SETUP_OPTIONS, SetupQuestions, checkFlags } from '../mail/setup-questions.ts';
import type { MailAnswers, SetupFlags } from '../mail/setup-questions.ts';
import type { Prompts } from '../prompts.ts';
import type { Terminal } from '../terminal.ts';

const WRITTEN = 'written; start the service with "hooks start", or restart it';

/** Characters that are shown of the newest message and of the name of a mailbox: enough to recognise them. */
const LONGEST_SUBJECT = 60;
const LONGEST_FROM = 30;
const LONGEST_NAME = 40;

/** Nothing is written when the login fails (1) or the server cannot be reached (3). */
export const mailSetup = defineCommand({
  name: 'setup',
  description: 'try a mailbox and write hooks.mail, asking for what no option says',
  options: SETUP_OPTIONS,
  examples: [
    ['hooks mail setup', 'ask for everything'],
    [
      'hooks mail setup --account me@gmail.com --password-stdin --yes < app-password',
      'ask for nothing; the password goes to gateway.d/mail.json5',
    ],
    [
      'hooks mail setup --account me@example.org --host imap.example.org --password-env MAIL_PASSWORD --dry-run',
      'try the login with a variable that is set, and write nothing',
    ],
    [
      'hooks mail setup --account me@outlook.com --oauth2 --client-id ID --refresh-token-env MAIL_REFRESH_TOKEN',
      'log in with access tokens of your own app',
    ],
  ],
  async action(context, flags) {
    checkFlags(flags);
    const prompts = flags.json === true ? undefined : context.terminal.prompts;
    if (prompts === undefined && flags.yes !== true && flags.dryRun !== true) {
      throw new CliError(
        'there is no terminal to ask on',
        'add --yes to write, or --dry-run to look',
        EXIT.usage,
      );
    }
    const here = await context.inspect();
    // What is wrong with hooks.mail itself may be what the setup mends.
    const isBroken = here.problems.some(({ key }) => !/^hooks\.mail\b/.test(keyWithoutFile(key)));
    if (!here.isDemo && isBroken) {
      throw new CliError('the current configuration has problems', 'see "hooks config check"');
    }
    const setup = new MailSetup(context, flags, here, prompts);
    const { plan, login } = await setup.checkedPlan();
    await setup.finish(plan, login);
  },
});

class MailSetup {
  constructor(
    private readonly context: CommandContext,
    private readonly flags: SetupFlags,
    private readonly here: Inspection,
    /** Undefined: there is no terminal to ask at. */
    private readonly prompts: Prompts | undefined,
  ) {}

  /** The plan, once its login works. A person may type another password. */
  async checkedPlan(): Promise<{ plan: MailSetupPlan; login: ConnectionCheck | undefined }> {
    const { context, flags, here, prompts } = this;
    const { terminal, env } = context;
    const questions = this.#questions();
    let answers = await questions.answers();
    for (;;) {
      const plan = await planMailSetup(answers, here, env);
      refuseProblems(plan, flags);
      if (flags.check === false || plan.mail === undefined) return { plan, login: undefined };
      try {
        const login = await logIn(plan.mail, terminal);
        return { plan: await this.#renewed(plan, answers, login), login };
      } catch (error) {
        if (prompts === undefined || !isRepeatable(error, flags)) throw error;
        terminal.note(`${terminal.styleNote('red', 'error:')} ${asLine(error.message)}`);
        if (error.hint !== undefined) terminal.note(`  ${asLine(error.hint)}`);
        if (!(await prompts.confirm('Try another login?'))) throw error;
        answers = { ...answers, login: await questions.login(false) };
      }
    }
  }

  async finish(plan: MailSetupPlan, login: ConnectionCheck | undefined): Promise<void> {
    const { terminal } = this.context;
    const { dryRun, yes, json } = this.flags;
    if (json !== true) plan.files.show(terminal);
    noteWarnings(plan.warnings, terminal);
    const isWanted =
      dryRun !== true && (yes === true || (await this.prompts?.confirm('Write this?')) === true);
    if (isWanted) plan.files.write();
    if (json === true) terminal.printJson(report(plan, login, isWanted));
    terminal.note(isWanted ? WRITTEN : 'nothing was changed');
  }

  /** A refresh token that was exchanged by trying it may be spent: the new one is what has to be written. */
  async #renewed(
    plan: MailSetupPlan,
    answers: MailAnswers,
    { newRefreshToken }: ConnectionCheck,
  ): Promise<MailSetupPlan> {
    const { login } = answers;
    if (newRefreshToken === undefined || login.kind !== 'oauth2') return plan;
    const { env, terminal } = this.context;
    const { refreshToken } = login;
    if ('variable' in refreshToken) {
      terminal.note(
        `a new refresh token came in place of that in ${refreshToken.variable}; it goes to ${fragmentFile(MAIL_FRAGMENT)}`,
      );
    }
    return planMailSetup(withRefreshToken(answers, newRefreshToken), this.here, env);
  }

  #questions(): SetupQuestions {
    const { flags, prompts, here } = this;
    const { terminal } = this.context;
    return new SetupQuestions({
      flags,
      prompts,
      lookups: networkLookups,
      readInput: () => text(terminal.streams.stdin),
      note: (line) => terminal.note(asLine(line)),
      present: presentMail(here),
    });
  }
}

/** Without a check a variable may be set later, and everything else has to be right all the same. */
function refuseProblems({ problems }: MailSetupPlan, { check }: SetupFlags): void {
  const refused = problems.filter(
    ({ message }) => check !== false || !message.startsWith('names the variable'),
  );
  assertNoProblems(refused);
}

/** A login that was typed can be typed again. */
function isRepeatable(error: unknown, flags: SetupFlags): error is CliError {
  const isTyped = flags.passwordEnv === undefined && flags.passwordStdin === undefined;
  const isOAuth2OfFlags = flags.oauth2 === true && flags.refreshTokenEnv !== undefined;
  return error instanceof CliError && error.exitCode === EXIT.failed && isTyped && !isOAuth2OfFlags;
}

function report(
  { files, warnings }: MailSetupPlan,
  login: ConnectionCheck | undefined,
  isWritten: boolean,
): object {
  return { written: isWritten, mailboxes: login?.mailboxes ?? null, ...files.shown, warnings };
}

/** Logs in and says what it finds there. @throws CliError with what to do */
async function logIn(mail: MailOptions, terminal: Terminal): Promise<ConnectionCheck> {
  const { host, port, secure, user, account } = mail;
  const place = `${host}:${port ?? (secure ? 993 : 143)}`;
  terminal.note(asShortLine(`logging in to ${place} as ${user ?? account}`, terminal.columns * 2));
  try {
    const found = await probeMailboxes(mail, new SystemClock());
    for (const mailbox of found.mailboxes) terminal.note(describeMailbox(mailbox));
    return found;
  } catch (error) {
    throw error instanceof ConnectionCheckError ? refusal(error, mail, place) : error;
  }
}

/** Only a login shows the newest message's subject. It is foreign text: never printed raw. */
function describeMailbox({ mailbox, messages, newest }: MailboxCheck): string {
  const name = asShortLine(mailbox, LONGEST_NAME);
  const count = messages === 1 ? '1 message' : `${messages} messages`;
  if (newest === undefined) return `${name}: ${count}`;
  const subject = asShortLine(newest.subject, LONGEST_SUBJECT);
  const from = asShortLine(newest.from, LONGEST_FROM);
  return `${name}: ${count}; the newest is "${subject}" from ${from}, ${newest.date.slice(0, 10)}`;
}

function refusal(
  { kind, reason, known }: ConnectionCheckError,
  mail: MailOptions,
  place: string,
): CliError {
  const provider = findProvider(mail.host);
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
  if (kind === 'not-installed') return new CliError(reason, undefined, EXIT.failed);
  return new CliError(`${reason} (${place})`, wayTo(reason), EXIT.unreachable);
}

function wayTo(reason: string): string {
  return reason.includes('WRONG_VERSION_NUMBER')
    ? 'the server does not speak TLS from the first byte on this port: add --starttls, or give another --port'
    : 'check --host, --port and --starttls, and whether this machine may reach it';
}
