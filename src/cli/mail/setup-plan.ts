import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '../../hooks/index.ts';
import type { MailOptions } from '../../mail/index.ts';
import { getField, isRecord } from '../../platform/objects.ts';
import {
  GATEWAY_FILE,
  Written,
  asWritten,
  fragmentSections,
  inspectConfiguration,
  keptAsWritten,
  maskSecrets,
  withFragment,
} from '../../service/index.ts';
import type { Environment, Inspection, Sections } from '../../service/index.ts';
import { CliError } from '../cli-error.ts';
import { PlannedFiles, recommendedGateway } from '../config/planned-files.ts';
import type { GivenSecret } from '../senders/sender-secrets.ts';
import type { MailAnswers, MailLogin } from './setup-questions.ts';

/** The fragment of `hooks mail setup`: `gateway.d/mail.json5`. */
export const MAIL_FRAGMENT = 'mail';

export interface MailSetupPlan {
  readonly files: PlannedFiles;
  /** `hooks.mail` as the service would see it, secrets included; undefined while something is wrong. */
  readonly mail: MailOptions | undefined;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** `hooks.mail` as it is written, in whatever files. */
export function presentMail({ written }: Inspection): Sections {
  const mail = getField(written, 'hooks', 'mail');
  return isRecord(mail) ? mail : {};
}

/**
 * Nothing is written; keys that a person added to the fragment stay. @throws CliError for another file's contradiction
 */
export async function planMailSetup(
  answers: MailAnswers,
  here: Inspection,
  env: Environment,
): Promise<MailSetupPlan> {
  const { dir, files: before } = here;
  const kept = getField(fragmentSections(before, MAIL_FRAGMENT), 'hooks', 'mail');
  const mail = {
    ...(isRecord(kept) ? keptAsWritten(kept) : {}),
    ...mailSection(answers, presentMail(here)),
    auth: authSection(answers.login),
  };
  await refuseConflicts(asWritten(mail), here, env);
  const sections = { hooks: { presets: ['mail'], mail } };
  const written = asWritten(sections);
  const shown = maskSecrets(written, written);
  const fragment = { name: MAIL_FRAGMENT, sections, shown, command: 'hooks mail setup' };
  const gateway =
    before.gateway === undefined ? recommendedGateway(here, 'hooks mail setup') : undefined;
  const files = new PlannedFiles(dir, before, [fragment], gateway);
  const { resolved, problems, warnings } = await files.inspect(env);
  return { files, mail: problems.length === 0 ? resolved?.mail : undefined, problems, warnings };
}

/** The answers with the refresh token that took the place of the one that was tried. */
export function withRefreshToken(answers: MailAnswers, value: string): MailAnswers {
  const { login } = answers;
  if (login.kind !== 'oauth2') return answers;
  return { ...answers, login: { ...login, refreshToken: { value } } };
}

/** The answers as `hooks.mail`, but for `auth`; keys that say nothing new are left out. */
function mailSection(answers: MailAnswers, present: Sections): Record<string, unknown> {
  const { account, host, port, secure, user, mailboxes, includeBody, ...rest } = answers;
  const { maxBytes, model, thinking } = rest;
  const usual = secure ? 993 : 143;
  // What an earlier mailbox had there would be wrong for this one.
  const isNew = (key: string, value: unknown, usual: unknown): boolean =>
    value !== usual || present[key] !== undefined;
  // The address was offered from the files, and taken.
  const said = (text: string): string | Written =>
    text === present['account'] ? new Written(text) : text;
  return {
    account: said(account),
    host,
    ...(isNew('port', port ?? usual, usual) && { port: port ?? usual }),
    ...(isNew('secure', secure, true) && { secure }),
    ...(isNew('user', user ?? account, account) && { user: said(user ?? account) }),
    ...(mailboxes !== undefined && { mailboxes }),
    ...(includeBody !== undefined && { includeBody }),
    ...(maxBytes !== undefined && { maxBytes }),
    ...(model !== undefined && { model }),
    ...(thinking !== undefined && { thinking }),
  };
}

/** `hooks.mail.auth`: one login only, so that it takes the place of any other. */
function authSection(login: MailLogin): Record<string, unknown> {
  if (login.kind === 'password') return { password: secretText(login.password) };
  const { clientId, clientSecret, refreshToken, tokenUrl, scope } = login;
  return {
    oauth2: {
      clientId,
      ...(clientSecret !== undefined && { clientSecret: secretText(clientSecret) }),
      refreshToken: secretText(refreshToken),
      ...(tokenUrl !== undefined && { tokenUrl }),
      ...(scope !== undefined && { scope }),
    },
  };
}

function secretText(secret: GivenSecret): string | Written {
  return 'variable' in secret ? new Written(`\${${secret.variable}}`) : secret.value;
}

/** What another file says about the same keys would be overridden in silence, or mixed with it. */
async function refuseConflicts(
  mail: Record<string, unknown>,
  { dir, files }: Inspection,
  env: Environment,
): Promise<void> {
  const without = withFragment(files, MAIL_FRAGMENT, undefined);
  const others = await inspectConfiguration(dir, env, without);
  const present = presentMail(others);
  const keys = Object.keys(mail).filter(
    (key) => present[key] !== undefined && !isDeepStrictEqual(present[key], mail[key]),
  );
  if (keys.length === 0) return;
  const places = keys.map((key) => `hooks.mail.${key}`).join(', ');
  const [file = GATEWAY_FILE] = others.merged.writersOf('hooks.mail');
  throw new CliError(
    `nothing was changed: ${file} has another value for ${places}`,
    `your own files are not edited: remove hooks.mail from ${file}, and run the command again`,
  );
}
