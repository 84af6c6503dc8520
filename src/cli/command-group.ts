import { CliError, EXIT } from './cli-error.ts';
import { ExampledCommand } from './hooks-command.ts';
import { didYouMean, pathOf } from './usage-error.ts';
import { nearestKey } from '../hooks/index.ts';

/** A command that only holds sub-commands: alone it shows its help, with an unknown one it suggests the nearest. */
export abstract class CommandGroup extends ExampledCommand {
  override async run([name]: string[]): Promise<void> {
    if (name === undefined) this.command.help({ error: true });
    const path = pathOf(this.command);
    const known = this.command.commands.map((command) => command.name());
    const nearest = nearestKey(name, known);
    throw new CliError(
      `unknown command '${name}'`,
      nearest === undefined ? `see "${path} --help"` : didYouMean([`${path} ${nearest}`]),
      EXIT.usage,
    );
  }
}
