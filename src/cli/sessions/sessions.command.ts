import { Command } from 'nest-commander';
import type { Example } from '../hooks-command.ts';
import { PagedCommand } from '../paged-command.ts';
import type { PagedOptions } from '../paged-command.ts';
import type { ServiceClient } from '../service/service-client.ts';
import { sessionLines, sessionTable } from './session-lines.ts';

@Command({
  name: 'sessions',
  arguments: '[key]',
  argsDescription: { key: 'full key of one session, such as agent:main:main' },
  description: 'list what agents remember, or show one session',
})
export class SessionsCommand extends PagedCommand {
  protected readonly examples: readonly Example[] = [
    ['hooks sessions', 'the first 20, in order of their keys'],
    ['hooks sessions agent:main:main', 'what waits there, and what was said'],
    ['hooks sessions --limit 1000 --json', 'for a program'],
  ];

  override async run([key]: string[], options: PagedOptions): Promise<void> {
    const service = await this.services.find(options);
    if (key === undefined) await this.#list(service, options);
    else await this.#show(service, key, options);
  }

  async #list(service: ServiceClient, options: PagedOptions): Promise<void> {
    const { rows: sessions, nextCursor } = await this.gather(options, async (asked) => {
      const { sessions: rows, nextCursor } = await service.sessions(asked);
      return { rows, nextCursor };
    });
    if (options.json === true) return this.terminal.printJson({ sessions, nextCursor });
    if (sessions.length === 0) return this.terminal.note('There are no sessions yet.');
    this.terminal.printTable(sessionTable(sessions, this.clock.now()));
    this.noteMore(nextCursor);
  }

  async #show(service: ServiceClient, key: string, { json }: PagedOptions): Promise<void> {
    const session = await service.session(key);
    if (json === true) return this.terminal.printJson(session);
    const lines = sessionLines(session, (colour, text) => this.terminal.style(colour, text));
    for (const line of lines) this.terminal.print(line);
  }
}
