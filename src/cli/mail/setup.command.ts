import { text } from 'node:stream/consumers';
import { SubCommand } from 'nest-commander';
import type { MailTrial } from '../../mail/index.ts';
import type { Inspection } from '../../standalone/inspect-configuration.ts';
import type { Surroundings } from '../../standalone/start.ts';
import { maskedDocument } from '../change/masked-document.ts';
import { showChange } from '../change/show-change.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { Example } from '../hooks-command.ts';
import { Prompts } from '../prompts.ts';
import { asLine } from '../foreign-text.ts';
import { InjectSurroundings, inspectHere } from '../surroundings.ts';
import { Terminal } from '../terminal.ts';
import { withRefreshToken } from './mail-answers.ts';
import type { MailAnswers } from './mail-answers.ts';
import { networkLookups } from './mail-server.ts';
import { planMailSetup, presentMail } from './mail-setup-plan.ts';
import type { MailSetupPlan } from './mail-setup-plan.ts';
import { logIn } from './mailbox-login.ts';
import { checkFlags } from './setup-flags.ts';
import type { SetupFlags } from './setup-flags.ts';
import { MailSetupOptions } from './setup-options.ts';
import { SetupQuestions } from './setup-questions.ts';

@SubCommand({
  name: 'setup',
  description: 'try a mailbox and write hooks.mail, asking for what no option says',
})
export class MailSetupCommand extends MailSetupOptions {
  protected readonly examples: readonly Example[] = [
    ['hooks mail setup', 'ask for everything'],
    [
      'hooks mail setup --account me@gmail.com --password-stdin --yes < app-password',
      'ask for nothing; the password goes to .env',
    ],
    [
      'hooks mail setup --account me@example.org --host imap.example.org --password-env MAIL_PASSWORD --dry-run',
      'try the login with a variable that is set, and only show the change',
    ],
    [
      'hooks mail setup --account me@outlook.com --oauth2 --client-id ID --refresh-token-env MAIL_REFRESH_TOKEN',
      'log in with access tokens of your own app',
    ],
  ];

  constructor(
    private readonly terminal: Terminal,
    @InjectSurroundings() private readonly surroundings: Surroundings,
  ) {
    super();
  }

  override async run(_: string[], flags: SetupFlags): Promise<void> {
    checkFlags(flags);
    const isAsking = this.terminal.isInteractive && flags.json !== true;
    if (!isAsking && flags.yes !== true && flags.dryRun !== true) {
      throw new CliError(
        'nobody can be asked here',
        'add --yes to write, or --dry-run to look',
        EXIT.usage,
      );
    }
    const here = await inspectHere(this.surroundings);
    if (!here.isDemo && here.problems.length > 0) {
      throw new CliError(
        'the gateway.json5 that is here has problems itself',
        'see "hooks config check"',
      );
    }
    const prompts = isAsking ? new Prompts(this.terminal) : undefined;
    const { plan, trial } = await this.#tried(flags, here, prompts);
    await this.#finished(plan, trial, flags, prompts);
  }

  /** The plan, once its login works. A person may type another password. */
  async #tried(
    flags: SetupFlags,
    here: Inspection,
    prompts: Prompts | undefined,
  ): Promise<{ plan: MailSetupPlan; trial: MailTrial | undefined }> {
    const questions = this.#questions(flags, here, prompts);
    let answers = await questions.answers();
    for (;;) {
      const plan = await planMailSetup(answers, here, this.surroundings.env);
      refuseProblems(plan, flags);
      if (flags.check === false || plan.mail === undefined) return { plan, trial: undefined };
      try {
        const trial = await logIn(plan.mail, this.terminal);
        return { plan: await this.#renewed(plan, answers, trial, here), trial };
      } catch (error) {
        if (prompts === undefined || !isRepeatable(error, flags)) throw error;
        this.terminal.note(`${this.terminal.styleNote('red', 'error:')} ${asLine(error.message)}`);
        if (error.hint !== undefined) this.terminal.note(`  ${asLine(error.hint)}`);
        if (!(await prompts.confirm('Try another login?'))) throw error;
        answers = { ...answers, login: await questions.login(false) };
      }
    }
  }

  /** A refresh token that was exchanged by trying it may be spent: the new one is what has to be written. */
  async #renewed(
    plan: MailSetupPlan,
    answers: MailAnswers,
    { newRefreshToken }: MailTrial,
    here: Inspection,
  ): Promise<MailSetupPlan> {
    const { login } = answers;
    if (newRefreshToken === undefined || login.kind !== 'oauth2') return plan;
    const { env } = this.surroundings;
    const { name } = login.refreshToken;
    if (env[name] === undefined) {
      return planMailSetup(withRefreshToken(answers, newRefreshToken), here, env);
    }
    this.terminal.note(`a new refresh token came, but ${name} of the environment wins over .env`);
    return plan;
  }

  #questions(flags: SetupFlags, here: Inspection, prompts: Prompts | undefined): SetupQuestions {
    const { stdin } = this.terminal.streams;
    return new SetupQuestions({
      flags,
      prompts,
      lookups: networkLookups,
      readInput: () => text(stdin),
      note: (line) => this.terminal.note(asLine(line)),
      present: presentMail(here),
      env: here.env,
      processEnv: this.surroundings.env,
    });
  }

  async #finished(
    plan: MailSetupPlan,
    trial: MailTrial | undefined,
    { dryRun, yes, json }: SetupFlags,
    prompts: Prompts | undefined,
  ): Promise<void> {
    if (json !== true) showChange(plan.change, plan.variables, this.terminal);
    for (const { key, message } of plan.warnings) {
      this.terminal.note(
        `${this.terminal.styleNote('yellow', 'warning')} ${asLine(`${key} ${message}`)}`,
      );
    }
    const isWanted =
      dryRun !== true && (yes === true || (await prompts?.confirm('Write this?')) === true);
    if (isWanted) plan.change.apply();
    if (json === true) this.terminal.printJson(reportOf(plan, trial, isWanted));
    this.terminal.note(isWanted ? WRITTEN : 'nothing was changed');
  }
}

const WRITTEN = 'written; start the service with "hooks start", or restart it';

/** Without a check a variable may be set later, and everything else has to be right all the same. */
function refuseProblems({ problems }: MailSetupPlan, { check }: SetupFlags): void {
  const told = problems.filter(
    ({ message }) => check !== false || !message.startsWith('names the variable'),
  );
  if (told.length === 0) return;
  const sentences = told.map(({ key, message }) => `${key} ${message}`);
  throw new CliError('nothing was changed: this would be refused', sentences.join('\n  '));
}

/** A login that was typed can be typed again. */
function isRepeatable(error: unknown, flags: SetupFlags): error is CliError {
  const isTyped = flags.passwordEnv === undefined && flags.passwordStdin === undefined;
  const isOAuth2OfFlags = flags.oauth2 === true && flags.refreshTokenEnv !== undefined;
  return error instanceof CliError && error.exitCode === EXIT.failed && isTyped && !isOAuth2OfFlags;
}

function reportOf(
  { change, variables, warnings }: MailSetupPlan,
  trial: MailTrial | undefined,
  isWritten: boolean,
): object {
  return {
    written: isWritten,
    mailboxes: trial?.mailboxes ?? null,
    gateway: maskedDocument(change.after.gateway ?? ''),
    variables,
    warnings,
  };
}
