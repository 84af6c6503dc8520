import { Command } from 'nest-commander';
import { CommandGroup } from '../command-group.ts';
import type { Example } from '../hooks-command.ts';
import { ConfigCheckCommand } from './check.command.ts';
import { ConfigSchemaCommand } from './schema.command.ts';
import { ConfigShowCommand } from './show.command.ts';

@Command({
  name: 'config',
  description: 'check or show the configuration',
  subCommands: [ConfigCheckCommand, ConfigShowCommand, ConfigSchemaCommand],
})
export class ConfigCommand extends CommandGroup {
  protected readonly examples: readonly Example[] = [
    ['hooks config check', 'say everything that is wrong with gateway.json5'],
  ];
}
