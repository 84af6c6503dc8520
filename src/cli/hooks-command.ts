import { CommandRunner, Help, Option } from 'nest-commander';

/** One line of a command's examples: what to type, and what it does. */
export type Example = readonly [command: string, purpose: string];

/** What every command has in common: examples at the end of its help. */
export abstract class ExampledCommand extends CommandRunner {
  protected abstract readonly examples: readonly Example[];

  @Help('after')
  exampleLines(): string {
    const lines = this.examples.map(([command, purpose]) => `  ${command}\n      ${purpose}`);
    return `\nExamples:\n${lines.join('\n')}`;
  }
}

/** Options that {@link HooksCommand} gives to every command. */
export interface CommonOptions {
  readonly json?: boolean;
}

/** A command with a result; `--json` prints it as one JSON document. */
export abstract class HooksCommand extends ExampledCommand {
  @Option({ flags: '--json', description: 'print one JSON document and nothing else' })
  parseJson(): boolean {
    return true;
  }
}
