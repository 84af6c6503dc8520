import { SubCommand } from 'nest-commander';
import type { Example } from '../hooks-command.ts';
import { ServiceCommand } from '../service/service-command.ts';
import type { ServiceOptions } from '../service/service-command.ts';
import { ServiceFinder } from '../service/service-finder.ts';
import { StoryDisplay } from '../story/story-display.ts';
import { Terminal } from '../terminal.ts';

@SubCommand({
  name: 'show',
  arguments: '<id>',
  argsDescription: { id: 'id of the event' },
  description: 'tell the whole story of an event',
})
export class EventsShowCommand extends ServiceCommand {
  protected readonly examples: readonly Example[] = [
    ['hooks events show 0198c5c2-…', 'what came, what was made of it, what became of that'],
    ['hooks events show 0198c5c2-… --json', 'the same as the operator API tells it'],
  ];

  constructor(
    terminal: Terminal,
    services: ServiceFinder,
    private readonly display: StoryDisplay,
  ) {
    super(terminal, services);
  }

  override async run([id = '']: string[], options: ServiceOptions): Promise<void> {
    const service = await this.services.find(options);
    this.display.show(await service.event(id), options.json ?? false);
  }
}
