import { SubCommand } from 'nest-commander';
import { HooksCommand } from '../hooks-command.ts';
import type { Example } from '../hooks-command.ts';
import { Terminal } from '../terminal.ts';
import { gatewaySchema } from './schema/gateway-schema.ts';

@SubCommand({
  name: 'schema',
  description: 'print the JSON Schema of gateway.json5, for editors',
})
export class ConfigSchemaCommand extends HooksCommand {
  protected readonly examples: readonly Example[] = [
    [
      'hooks config schema > gateway.schema.json',
      "for $schema: './gateway.schema.json' at the top of gateway.json5",
    ],
  ];

  constructor(private readonly terminal: Terminal) {
    super();
  }

  override async run(): Promise<void> {
    this.terminal.printJson(gatewaySchema());
  }
}
