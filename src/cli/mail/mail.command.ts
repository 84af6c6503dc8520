import { Command } from 'nest-commander';
import { CommandGroup } from '../command-group.ts';
import type { Example } from '../hooks-command.ts';
import { MailRunCommand } from './run.command.ts';
import { MailSetupCommand } from './setup.command.ts';

@Command({
  name: 'mail',
  description: 'send the new mail of a mailbox to the hook mail',
  subCommands: [MailSetupCommand, MailRunCommand],
})
export class MailCommand extends CommandGroup {
  protected readonly examples: readonly Example[] = [
    ['hooks mail setup', 'ask for a mailbox, try it, and write hooks.mail'],
    ['hooks mail run', 'watch the mailbox of hooks.mail in a process of its own'],
  ];
}
