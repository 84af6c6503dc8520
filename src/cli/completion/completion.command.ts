import { Command } from 'nest-commander';
import { CliError, EXIT } from '../cli-error.ts';
import { ExampledCommand } from '../hooks-command.ts';
import type { Example } from '../hooks-command.ts';
import { Program } from '../program.ts';
import { Terminal } from '../terminal.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { zshScript } from './zsh.ts';

/** Every shell that can be served. */
const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

@Command({
  name: 'completion',
  arguments: '<shell>',
  argsDescription: { shell: 'bash, zsh or fish' },
  description: 'print a script that completes commands and options in your shell',
})
export class CompletionCommand extends ExampledCommand {
  protected readonly examples: readonly Example[] = [
    ['source <(hooks completion bash)', 'complete in this bash; in ~/.bashrc: in every one'],
    ['source <(hooks completion zsh)', 'the same for zsh and ~/.zshrc'],
    ['hooks completion fish > ~/.config/fish/completions/hooks.fish', 'the same for fish'],
  ];

  constructor(
    private readonly terminal: Terminal,
    private readonly program: Program,
  ) {
    super();
  }

  override async run([shell = '']: string[]): Promise<void> {
    const script = Object.entries(SCRIPTS).find(([name]) => name === shell)?.[1];
    if (script === undefined) {
      const known = Object.keys(SCRIPTS).join(', ');
      throw new CliError(`there is no script for '${shell}'`, `known are ${known}`, EXIT.usage);
    }
    this.terminal.print(script(this.program.places()).trimEnd());
  }
}
