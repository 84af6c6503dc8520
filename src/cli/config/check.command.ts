import { SubCommand } from 'nest-commander';
import type { Surroundings } from '../../standalone/start.ts';
import { EXIT } from '../cli-error.ts';
import { HooksCommand } from '../hooks-command.ts';
import type { CommonOptions, Example } from '../hooks-command.ts';
import { InjectSurroundings, inspectHere } from '../surroundings.ts';
import { Terminal } from '../terminal.ts';
import { checkOf, showCheck } from './configuration-check.ts';

@SubCommand({
  name: 'check',
  description: 'say everything that is wrong with the configuration, and how to mend it',
})
export class ConfigCheckCommand extends HooksCommand {
  protected readonly examples: readonly Example[] = [
    ['hooks config check', 'check gateway.json5 and .env in this directory'],
    ['GATEWAY_CONFIG_DIR=/etc/hooks hooks config check', 'check those of another directory'],
    ['hooks config check --json', 'the same for a program; exit code 1 when there are problems'],
  ];

  constructor(
    private readonly terminal: Terminal,
    @InjectSurroundings() private readonly surroundings: Surroundings,
  ) {
    super();
  }

  override async run(_: string[], { json = false }: CommonOptions): Promise<void> {
    const check = checkOf(await inspectHere(this.surroundings));
    if (json) this.terminal.printJson(check);
    else showCheck(check, this.terminal);
    if (!check.ok) this.terminal.exitCode = EXIT.failed;
  }
}
