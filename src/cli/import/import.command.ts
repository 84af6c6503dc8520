import { resolve } from 'node:path';
import { Command, Option } from 'nest-commander';
import { configurationDirectory } from '../../standalone/load-configuration.ts';
import { inspectConfiguration } from '../../standalone/inspect-configuration.ts';
import type { Surroundings } from '../../standalone/start.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { HooksCommand } from '../hooks-command.ts';
import type { CommonOptions, Example } from '../hooks-command.ts';
import { Prompts } from '../prompts.ts';
import { InjectSurroundings } from '../surroundings.ts';
import { Terminal } from '../terminal.ts';
import { planImport } from './import-plan.ts';
import type { ImportPlan } from './import-plan.ts';
import { reportImport, showImport } from './import-report.ts';
import { readReference } from './reference-file.ts';
import { translate } from './translation.ts';

interface ImportOptions extends CommonOptions {
  readonly write?: boolean;
  readonly yes?: boolean;
}

@Command({
  name: 'import',
  arguments: '<file>',
  argsDescription: { file: 'configuration of an OpenClaw-style gateway, JSON or JSON5' },
  description: 'carry over the hooks of another gateway, and list what cannot be',
})
export class ImportCommand extends HooksCommand {
  protected readonly examples: readonly Example[] = [
    ['hooks import ~/.openclaw/openclaw.json', 'show what would change, and change nothing'],
    ['hooks import openclaw.json --write', 'show it, ask, and write gateway.json5 and .env'],
    ['hooks import openclaw.json --write --yes', 'the same without asking'],
  ];

  constructor(
    private readonly terminal: Terminal,
    @InjectSurroundings() private readonly surroundings: Surroundings,
  ) {
    super();
  }

  @Option({ flags: '--write', description: 'write gateway.json5 and .env' })
  parseWrite(): boolean {
    return true;
  }

  @Option({ flags: '-y, --yes', description: 'do not ask before writing' })
  parseYes(): boolean {
    return true;
  }

  override async run([file = '']: string[], options: ImportOptions): Promise<void> {
    const plan = await this.#plan(resolve(this.surroundings.cwd, file));
    if (options.json !== true) showImport(plan, this.terminal);
    const isWritten = options.write === true && (await this.#written(plan, options));
    if (options.json === true) this.terminal.printJson(reportImport(plan, isWritten));
    if (plan.problems.length > 0) this.terminal.exitCode = EXIT.failed;
  }

  async #plan(file: string): Promise<ImportPlan> {
    const { env, cwd } = this.surroundings;
    const dir = configurationDirectory(env, cwd);
    const present = await inspectConfiguration(dir, env);
    if (!present.isDemo && present.problems.length > 0) {
      throw new CliError(
        'the gateway.json5 that is here has problems itself',
        'see "hooks config check"',
      );
    }
    const sections = present.isDemo ? undefined : present.written;
    const translation = translate(readReference(file), { sections, env: present.env });
    return planImport(dir, present.files, translation, env);
  }

  async #written(plan: ImportPlan, { yes, json }: ImportOptions): Promise<boolean> {
    if (plan.problems.length > 0) {
      throw new CliError(
        'nothing was written: the result would not pass "hooks config check"',
        plan.problems.map(({ key, message }) => `${key} ${message}`).join('\n  '),
      );
    }
    if (!plan.change.changesGateway && !plan.change.changesDotenv) {
      this.terminal.note('nothing to write: everything is there already');
      return false;
    }
    const mayAsk = yes !== true && json !== true && this.terminal.isInteractive;
    if (mayAsk && !(await new Prompts(this.terminal).confirm('Write this?'))) {
      this.terminal.note('nothing was changed');
      return false;
    }
    plan.change.apply();
    this.terminal.note('written; a running service takes it over within a second');
    return true;
  }
}
