import { EXIT } from '../cli-error.ts';
import type { CliCommand, CommandContext, OptionList, OptionValues } from '../command.ts';
import type { Terminal } from '../terminal.ts';
import { paintFor } from '../text-layout.ts';
import type { Paint } from '../text-layout.ts';
import { SERVICE_OPTIONS, findService } from './find-service.ts';
import type { ServiceClient } from './service-client.ts';

interface ServiceCommand<Options extends OptionList, Answer> extends Omit<
  CliCommand,
  'options' | 'action'
> {
  /** Besides those by which the service is found, and `--json`. Default: none. */
  readonly options?: Options;
  /** @throws CliError for a command line that nothing can be asked by */
  assert?(this: void, options: OptionValues<Options>, ...args: string[]): void;
  ask(this: void, asked: Asked<Options>, ...args: string[]): Promise<Answer>;
  /** Whether the command ends with 1. Default: it never does. */
  fails?(this: void, answer: NoInfer<Answer>): boolean;
  /** Picks what `--json` prints. Default: the whole answer. */
  json?(this: void, answer: NoInfer<Answer>): unknown;
  print(this: void, answer: NoInfer<Answer>, asked: Asked<Options>, ...args: string[]): void;
}

export interface Asked<Options extends OptionList = []> {
  readonly service: ServiceClient;
  readonly options: OptionValues<Options>;
  readonly context: CommandContext;
  readonly terminal: Terminal;
  readonly paint: Paint;
  /** When the command began, in epoch milliseconds. */
  readonly now: number;
}

/** Makes the command of a row: it finds the service, asks it, and prints the answer for a program or for a person. */
export function serviceCommand<Answer, const Options extends OptionList = []>({
  options,
  assert,
  ask,
  fails,
  json = (answer) => answer,
  print,
  ...named
}: ServiceCommand<Options, Answer>): CliCommand {
  return {
    ...named,
    options: [...(options ?? []), ...SERVICE_OPTIONS],
    async action(
      context,
      given: OptionValues<Options> & OptionValues<typeof SERVICE_OPTIONS>,
      ...args
    ) {
      assert?.(given, ...args);
      const { terminal, clock } = context;
      const service = await findService(context, given);
      const paint = paintFor(terminal);
      const asked = { service, options: given, context, terminal, paint, now: clock.now() };
      const answer = await ask(asked, ...args);
      if (fails?.(answer) === true) terminal.exitCode = EXIT.failed;
      if (given.json === true) terminal.printJson(json(answer));
      else print(answer, asked, ...args);
    },
  };
}
