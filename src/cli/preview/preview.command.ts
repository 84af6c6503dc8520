import { Command, Option } from 'nest-commander';
import type { Surroundings } from '../../standalone/start.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { hookName, onTheWire } from '../hook-name.ts';
import type { Example } from '../hooks-command.ts';
import type { NamedValues } from '../named-values.ts';
import { readPayload } from '../payload-file.ts';
import { RequestCommand } from '../request-command.ts';
import type { ServiceOptions } from '../service/service-command.ts';
import { ServiceFinder } from '../service/service-finder.ts';
import { InjectSurroundings } from '../surroundings.ts';
import { Terminal } from '../terminal.ts';
import { previewLines } from './preview-lines.ts';

interface PreviewOptions extends ServiceOptions {
  readonly payload?: string;
  readonly header?: NamedValues;
  readonly query?: NamedValues;
  readonly event?: string;
}

@Command({
  name: 'preview',
  arguments: '[hook]',
  argsDescription: { hook: 'wake, agent, or the path of a mapping' },
  description: 'show what would become of a request, without any effect',
})
export class PreviewCommand extends RequestCommand {
  protected readonly examples: readonly Example[] = [
    ['hooks preview github --payload push.json', 'which mapping takes it, and the exact prompt'],
    ['hooks preview --event 0198c5c2-…', 'what would become of an earlier request today'],
    ['hooks preview github --payload - --json < push.json', 'exit code 1 when it is refused'],
  ];

  constructor(
    terminal: Terminal,
    services: ServiceFinder,
    @InjectSurroundings() private readonly surroundings: Surroundings,
  ) {
    super(terminal, services);
  }

  override async run([hook]: string[], options: PreviewOptions): Promise<void> {
    const service = await this.services.find(options);
    const preview = await service.preview(await this.#asked(hook, options, service.hooksPath));
    if (preview.refusal !== null || preview.failure !== null) this.terminal.exitCode = EXIT.failed;
    if (options.json === true) return this.terminal.printJson(preview);
    const paint = (colour: Parameters<Terminal['style']>[0], text: string) =>
      this.terminal.style(colour, text);
    for (const line of previewLines(preview, paint)) this.terminal.print(line);
  }

  @Option({ flags: '--event <id>', description: 'take the request of an earlier event instead' })
  parseEvent(id: string): string {
    return id;
  }

  async #asked(
    hook: string | undefined,
    { event, payload: file, header: headers, query }: PreviewOptions,
    prefix: string,
  ): Promise<object> {
    const own = [hook, file, headers, query].filter((given) => given !== undefined);
    if (event !== undefined && own.length === 0) return { event };
    if (event !== undefined || hook === undefined) {
      throw new CliError('Name either a hook or an --event.', undefined, EXIT.usage);
    }
    const name = onTheWire(hookName(hook, prefix));
    if (file === undefined) return { hook: name, headers, query };
    const source = { cwd: this.surroundings.cwd, stdin: this.terminal.streams.stdin };
    const payload: unknown = JSON.parse((await readPayload(file, source)).toString());
    return { hook: name, payload, headers, query };
  }
}
