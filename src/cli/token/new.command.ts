import { SubCommand } from 'nest-commander';
import { newToken } from '../../standalone/token-file.ts';
import { HooksCommand } from '../hooks-command.ts';
import type { CommonOptions, Example } from '../hooks-command.ts';
import { Terminal } from '../terminal.ts';

@SubCommand({ name: 'new', description: 'print a new random token of 32 bytes (base64url)' })
export class TokenNewCommand extends HooksCommand {
  protected readonly examples: readonly Example[] = [
    ['hooks token new', 'print one'],
    [
      'echo "HOOK_TOKEN=$(hooks token new)" >> .env',
      'give the variable HOOK_TOKEN of gateway.json5 a value that no screen shows',
    ],
  ];

  constructor(private readonly terminal: Terminal) {
    super();
  }

  override async run(_: string[], { json = false }: CommonOptions): Promise<void> {
    const token = newToken();
    if (json) this.terminal.printJson({ token });
    else this.terminal.print(token);
  }
}
