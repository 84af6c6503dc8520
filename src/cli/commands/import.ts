import { resolve } from 'node:path';
import { configurationDirectory, fragmentPath } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { JSON_OPTION, defineCommand, option } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import { IMPORT_FRAGMENT, planImport, readTarget } from '../import/import-plan.ts';
import type { ImportPlan } from '../import/import-plan.ts';
import { migrateHooks, readOpenClawHooks } from '../import/openclaw.ts';
import type { Prompts } from '../prompts.ts';
import type { Terminal } from '../terminal.ts';

/**
 * Reads the configuration of another gateway, which is never changed: translates it part by part (openclaw.ts), leaves out
 * what the service would refuse (import-plan.ts), and shows the result with what is left to a person. Only `--write`
 * writes, after a question; the result has to pass `hooks config check`.
 */
export const importHooks = defineCommand({
  name: 'import',
  description: 'read the hooks of another gateway',
  arguments: [['<file>', 'the configuration of an OpenClaw-style gateway']],
  options: [
    option('--write', 'write gateway.d/import.json5, and gateway.json5 where there is none'),
    option('-y, --yes', 'do not ask before writing'),
    JSON_OPTION,
  ],
  examples: [
    ['hooks import ~/.openclaw/openclaw.json', 'show what would be written, and write nothing'],
    ['hooks import openclaw.json --write', 'show it, ask, and write gateway.d/import.json5'],
    ['hooks import openclaw.json --write --yes', 'the same without asking'],
  ],
  async action(context, options, file) {
    const { terminal, cwd } = context;
    const { json = false, yes = false } = options;
    const plan = await planned(context, resolve(cwd, file));
    if (!json) show(plan, terminal);
    const prompts = yes || json ? undefined : terminal.prompts;
    const isWritten = options.write === true && (await write(plan, context, prompts));
    if (json) terminal.printJson(report(plan, isWritten));
    if (plan.problems.length > 0) terminal.exitCode = EXIT.failed;
  },
});

/** Works out what would be written. @throws CliError when what is here does not pass the check itself */
async function planned({ env, cwd, inspect }: CommandContext, file: string): Promise<ImportPlan> {
  const { isDemo, problems } = await inspect();
  if (!isDemo && problems.length > 0) {
    throw new CliError('the current configuration has problems', 'see "hooks config check"');
  }
  const target = await readTarget(configurationDirectory(env, cwd), env);
  const { channels } = target.others.written;
  return planImport(target, migrateHooks(readOpenClawHooks(file), channels), env);
}

/** Writes after a question; false: there was nothing to write, or the answer was no. @throws CliError */
async function write(
  plan: ImportPlan,
  { terminal }: CommandContext,
  prompts: Prompts | undefined,
): Promise<boolean> {
  if (plan.problems.length > 0) {
    throw new CliError(
      'nothing was written: the result would not pass "hooks config check"',
      plan.problems.map(({ key, message }) => `${key} ${message}`).join('\n  '),
    );
  }
  if (!plan.files.isChange) {
    terminal.note('nothing to write: everything is there already');
    return false;
  }
  if ((await prompts?.confirm('Write this?')) === false) {
    terminal.note('nothing was changed');
    return false;
  }
  plan.files.write();
  terminal.note('written; a running service reloads it within a second');
  return true;
}

/** What would be written, what is wrong with it, and what is left to a person. */
function show({ files, notes, problems, warnings }: ImportPlan, terminal: Terminal): void {
  files.show(terminal);
  if (notes.length > 0) {
    terminal.print();
    terminal.print(terminal.style('bold', 'Not carried over as it was'));
  }
  for (const { key, reason, todo } of notes) {
    terminal.printWrapped(asLine(`- ${key}: ${reason}`), { first: '', rest: '  ' });
    if (todo === undefined) continue;
    terminal.printWrapped(asLine(`→ ${todo}`), { first: '  ', rest: '    ' });
  }
  const findings = [
    ...problems.map((problem) => ({ ...problem, word: terminal.style('red', 'problem') })),
    ...warnings.map((warning) => ({ ...warning, word: terminal.style('yellow', 'warning') })),
  ];
  for (const { word, key, message } of findings) {
    terminal.printWrapped(`${word} ${asLine(`${key} ${message}`)}`, { first: '', rest: '  ' });
  }
}

/** The same for a program; secrets are left out. */
function report(plan: ImportPlan, isWritten: boolean): object {
  const { files, notes, problems, warnings } = plan;
  const file = fragmentPath(files.dir, IMPORT_FRAGMENT);
  return { file, written: isWritten, ...files.shown, notes, problems, warnings };
}
