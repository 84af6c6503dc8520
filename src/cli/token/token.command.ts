import { Command } from 'nest-commander';
import { CommandGroup } from '../command-group.ts';
import type { Example } from '../hooks-command.ts';
import { TokenNewCommand } from './new.command.ts';

@Command({
  name: 'token',
  description: 'make tokens',
  subCommands: [TokenNewCommand],
})
export class TokenCommand extends CommandGroup {
  protected readonly examples: readonly Example[] = [
    ['hooks token new', 'print a token that nobody guesses'],
  ];
}
