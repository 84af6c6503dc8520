import { Command } from 'nest-commander';
import type { Surroundings } from '../standalone/start.ts';
import { ExampledCommand } from './hooks-command.ts';
import type { Example } from './hooks-command.ts';
import { InjectSurroundings } from './surroundings.ts';

@Command({ name: 'start', description: 'start the service and leave it running' })
export class StartCommand extends ExampledCommand {
  protected readonly examples: readonly Example[] = [
    ['hooks start', 'serve what gateway.json5 here says; without one: a demo to try'],
    ['GATEWAY_CONFIG_DIR=/etc/hooks hooks start', 'with the configuration of another directory'],
  ];

  constructor(@InjectSurroundings() private readonly surroundings: Surroundings) {
    super();
  }

  override async run(): Promise<void> {
    const { start } = await service();
    await start(this.surroundings);
  }
}

/**
 * The whole service: no other command waits until it is read. Outside of the class, since TypeScript does not rewrite
 * the extension of an import() in a decorated one.
 */
function service(): Promise<typeof import('../standalone/start.ts')> {
  return import('../standalone/start.ts');
}
