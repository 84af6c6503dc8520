import { Injectable } from '@nestjs/common';
import type { Command, CommanderError } from 'commander';
import { InjectCommander } from 'nest-commander';
import { placesOf } from './command-place.ts';
import type { CommandPlace } from './command-place.ts';
import { usageError } from './usage-error.ts';
import { version } from './version.ts';
import { Terminal } from './terminal.ts';

/** The tree of all commands, as commander reads the command line. */
@Injectable()
export class Program {
  constructor(
    @InjectCommander() readonly root: Command,
    private readonly terminal: Terminal,
  ) {}

  /**
   * Reads the command line and runs its command.
   * @throws CliError when it is wrong, CommanderError once help or version is printed; whatever the command throws.
   */
  async run(args: readonly string[]): Promise<void> {
    this.complete();
    await this.root.parseAsync([...args], { from: 'user' });
  }

  /** Gives the commands that Nest found what holds for all of them: commander hands nothing down to these. */
  complete(): Command {
    this.root
      .name('hooks')
      .description('Runs, checks, tries and repairs the webhook ingress for AI agents.')
      .version(version(), '-V, --version', 'print the version')
      .addHelpCommand(false)
      .addHelpText('after', ROOT_HELP);
    for (const command of withDescendants(this.root)) this.#equip(command);
    return this.root;
  }

  /** What may be typed where. */
  places(): readonly CommandPlace[] {
    return placesOf(this.root);
  }

  #equip(command: Command): void {
    command
      .helpOption('-h, --help', 'show this help')
      .allowExcessArguments(command.commands.length > 0)
      .showSuggestionAfterError()
      .configureHelp({ helpWidth: this.terminal.columns })
      .configureOutput({
        writeOut: (text) => this.terminal.streams.stdout.write(text),
        writeErr: (text) => this.terminal.streams.stderr.write(text),
        // Said once, by whoever catches what exitOverride throws.
        outputError: () => undefined,
      })
      .exitOverride((error: CommanderError) => {
        throw usageError(command, error);
      });
  }
}

const ROOT_HELP = `
Examples:
  hooks start
      start the service here
  hooks config check
      say everything that is wrong with gateway.json5, and how to mend it
  hooks config --help
      what can be done with the configuration`;

/** A command, its sub-commands, theirs, … */
export function withDescendants(command: Command): Command[] {
  return [command, ...command.commands.flatMap((child) => withDescendants(child))];
}
