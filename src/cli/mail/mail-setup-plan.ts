import { readFileSync } from 'node:fs';
import type { Problem } from '../../hooks/index.ts';
import type { MailOptions } from '../../mail/index.ts';
import { ConfigurationChange } from '../../standalone/editing/configuration-change.ts';
import type { Edit } from '../../standalone/editing/json5-edit.ts';
import { mergeEdits } from '../../standalone/editing/json5-edit.ts';
import type { Inspection } from '../../standalone/inspect-configuration.ts';
import { isSections } from '../../standalone/json5-document.ts';
import type { Sections } from '../../standalone/json5-document.ts';
import { newToken } from '../../standalone/token-file.ts';
import type { Environment } from '../../standalone/variables.ts';
import { authSection, mailSection, secretsOf } from './mail-answers.ts';
import type { MailAnswers } from './mail-answers.ts';

/** A change that makes the answers the configuration, and what that would be. */
export interface MailSetupPlan {
  readonly change: ConfigurationChange;
  /** Names that `.env` is given. */
  readonly variables: readonly string[];
  /** `hooks.mail` as the service would see it, secrets included; undefined while something is wrong. */
  readonly mail: MailOptions | undefined;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** The hook token that gateway.example.json5 refers to. */
const HOOK_TOKEN = 'HOOK_TOKEN';

const HEADER = '// Made by "hooks mail setup". docs/configuration.md has every key.\n';

/** `hooks.mail` as it is written in gateway.json5. */
export function presentMail({ written }: Inspection): Sections {
  const hooks = written['hooks'];
  const mail = isSections(hooks) ? hooks['mail'] : undefined;
  return isSections(mail) ? mail : {};
}

/** Works out the change; nothing is written. @param env of the process */
export async function planMailSetup(
  answers: MailAnswers,
  here: Inspection,
  env: Environment,
): Promise<MailSetupPlan> {
  const isNew = here.files.gateway === undefined;
  const variables = { ...secretsOf(answers.login), ...(isNew ? missingToken(here.env) : {}) };
  const edits = [...mailEdits(answers, presentMail(here)), ...presetEdits(here)];
  const change = new ConfigurationChange(here.dir, here.files, { edits, variables }, template());
  const { resolved, problems, warnings } = await change.inspect(env);
  const mail = problems.length === 0 ? resolved?.mail : undefined;
  return { change, variables: Object.keys(variables), mail, problems, warnings };
}

function mailEdits(answers: MailAnswers, present: Sections): Edit[] {
  const section = mailSection(answers, present);
  const auth = authSection(answers.login);
  const path = ['hooks', 'mail'];
  if (Object.keys(present).length === 0)
    return [{ kind: 'set', path, value: { ...section, auth } }];
  // One login only: what was there of another kind has to go.
  return [
    ...mergeEdits(path, present, section),
    { kind: 'set', path: [...path, 'auth'], value: auth },
  ];
}

function presetEdits({ written }: Inspection): Edit[] {
  const hooks = written['hooks'];
  const presets: unknown = isSections(hooks) ? hooks['presets'] : undefined;
  if (Array.isArray(presets) && presets.includes('mail')) return [];
  return [{ kind: 'append', path: ['hooks', 'presets'], value: 'mail' }];
}

function missingToken(env: Environment): Record<string, string> {
  return (env[HOOK_TOKEN] ?? '').trim() === '' ? { [HOOK_TOKEN]: newToken() } : {};
}

/** The recommended configuration, as the package ships it, under a line of its own; its schema is not where this is. */
function template(): string {
  const example = readFileSync(new URL('../../../gateway.example.json5', import.meta.url), 'utf8');
  return (
    HEADER + example.replace(/^(?:\/\/.*\n)+/, '').replace(/(?: *\/\/.*\n)* *\$schema:.*\n/, '')
  );
}
