import { Option, SubCommand } from 'nest-commander';
import { Clock } from '../../hooks/index.ts';
import type { EventSummary } from '../../hooks/index.ts';
import { EXIT } from '../cli-error.ts';
import { safeJson } from '../foreign-text.ts';
import type { Example } from '../hooks-command.ts';
import { Interruption } from '../interruption.ts';
import { wholeNumber } from '../named-values.ts';
import { ServiceCommand } from '../service/service-command.ts';
import type { ServiceOptions } from '../service/service-command.ts';
import { ServiceFinder } from '../service/service-finder.ts';
import { SILENT } from '../story/story-end.ts';
import { Terminal } from '../terminal.ts';
import { EventTail } from './event-tail.ts';
import type { TailListener } from './event-tail.ts';
import { tailLine } from './event-table.ts';

const DEFAULT_LAST = 10;
const MOST_LAST = 200;

interface TailOptions extends ServiceOptions {
  readonly hook?: string;
  readonly last?: number;
}

@SubCommand({
  name: 'tail',
  description: 'follow new events and what becomes of them, until Ctrl-C',
})
export class EventsTailCommand extends ServiceCommand {
  protected readonly examples: readonly Example[] = [
    ['hooks events tail', 'the newest 10, then each new one and each change of status'],
    ['hooks events tail --hook github --last 0', 'only new ones of one hook'],
    ['hooks events tail --json', 'one JSON document on each line'],
  ];

  constructor(
    terminal: Terminal,
    services: ServiceFinder,
    private readonly clock: Clock,
  ) {
    super(terminal, services);
  }

  override async run(_: string[], options: TailOptions): Promise<void> {
    using interruption = new Interruption();
    const { signal } = interruption;
    try {
      const service = await this.services.find(options, signal);
      const { hook, last = DEFAULT_LAST } = options;
      await new EventTail(service, { hook, last }, this.#listener(options)).follow(this.clock);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    this.terminal.exitCode = EXIT.interrupted;
  }

  @Option({ flags: '--hook <name>', description: 'only those of this hook' })
  parseHook(name: string): string {
    return name;
  }

  @Option({ flags: '--last <count>', description: 'begin with the newest, 0 to 200 (default: 10)' })
  parseLast(count: string): number {
    return wholeNumber('--last', count, 0, MOST_LAST);
  }

  #listener({ json = false }: TailOptions): TailListener {
    const tell = (event: EventSummary, at: number): void =>
      this.terminal.print(json ? safeJson(event) : this.#line(event, at));
    return {
      earlier: (event) => tell(event, Date.parse(event.receivedAt)),
      event: (event) => tell(event, this.clock.now()),
      silence: (isSilent) => this.terminal.note(isSilent ? SILENT : 'the service answers again'),
      gap: () => this.terminal.note('More events came than can be told: hooks events list'),
    };
  }

  #line(event: EventSummary, at: number): string {
    const { columns } = this.terminal;
    return tailLine(event, columns, at, (colour, text) => this.terminal.style(colour, text));
  }
}
