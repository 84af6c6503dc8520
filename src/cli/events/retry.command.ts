import { SubCommand } from 'nest-commander';
import type { Example } from '../hooks-command.ts';
import { Interruption } from '../interruption.ts';
import { EndingCommand } from '../story/ending-command.ts';
import type { EndingOptions } from '../story/ending-command.ts';

@SubCommand({
  name: 'retry',
  arguments: '<id>',
  argsDescription: { id: 'id of the event' },
  description: 'go on with an event whose runs or deliveries are dead',
})
export class EventsRetryCommand extends EndingCommand {
  protected readonly examples: readonly Example[] = [
    ['hooks events retry 0198c5c2-…', 'put what is dead back into the queue'],
    ['hooks events retry 0198c5c2-… --wait', 'and tell how it ends; exit code 1 if badly'],
  ];

  override async run([id = '']: string[], options: EndingOptions): Promise<void> {
    using interruption = new Interruption();
    const service = await this.services.find(options, interruption.signal);
    const { retried } = await service.retry(id);
    const { wait = false, json = false } = options;
    const told = { eventId: id, retried };
    if (wait) await this.display.end(service, id, { ...options, wait }, { interruption, told });
    else if (json) this.terminal.printJson(told);
    else this.terminal.print(`Put back into the queue: ${retried}`);
  }
}
