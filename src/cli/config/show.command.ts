import { SubCommand } from 'nest-commander';
import type { Surroundings } from '../../standalone/start.ts';
import { asLines } from '../foreign-text.ts';
import { HooksCommand } from '../hooks-command.ts';
import type { CommonOptions, Example } from '../hooks-command.ts';
import { InjectSurroundings, inspectHere } from '../surroundings.ts';
import { Terminal } from '../terminal.ts';
import { asJson5, shownConfiguration } from './show/shown-configuration.ts';

@SubCommand({
  name: 'show',
  description: 'print the configuration with every default, without secrets',
})
export class ConfigShowCommand extends HooksCommand {
  protected readonly examples: readonly Example[] = [
    ['hooks config show', 'every section, and where it comes from'],
    ["hooks config show --json | jq '.configuration.hooks.mappings'", 'one part, for a program'],
  ];

  constructor(
    private readonly terminal: Terminal,
    @InjectSurroundings() private readonly surroundings: Surroundings,
  ) {
    super();
  }

  override async run(_: string[], { json = false }: CommonOptions): Promise<void> {
    const shown = shownConfiguration(await inspectHere(this.surroundings), this.surroundings.env);
    if (json) this.terminal.printJson(shown);
    else for (const line of asLines(asJson5(shown))) this.terminal.print(line);
  }
}
