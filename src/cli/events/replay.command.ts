import { SubCommand } from 'nest-commander';
import type { Example } from '../hooks-command.ts';
import { Interruption } from '../interruption.ts';
import { EndingCommand } from '../story/ending-command.ts';
import type { EndingOptions } from '../story/ending-command.ts';

@SubCommand({
  name: 'replay',
  arguments: '<id>',
  argsDescription: { id: 'id of the event' },
  description: 'send the request of an event once more, as a new event that names its origin',
})
export class EventsReplayCommand extends EndingCommand {
  protected readonly examples: readonly Example[] = [
    ['hooks events replay 0198c5c2-…', 'through the present configuration; prints the new id'],
    ['hooks events replay 0198c5c2-… --wait', 'and tell how it ends; exit code 1 if badly'],
  ];

  override async run([id = '']: string[], options: EndingOptions): Promise<void> {
    using interruption = new Interruption();
    const service = await this.services.find(options, interruption.signal);
    const receipt = await service.replay(id);
    const { wait = false, ...others } = options;
    await this.display.follow(service, receipt, { ...others, wait }, interruption);
  }
}
