import { Option, SubCommand } from 'nest-commander';
import type { Surroundings } from '../../standalone/start.ts';
import { HooksCommand } from '../hooks-command.ts';
import type { CommonOptions, Example } from '../hooks-command.ts';
import { givenUrl } from '../service/service-address.ts';
import { InjectSurroundings, inspectHere } from '../surroundings.ts';
import { Terminal } from '../terminal.ts';
import { runMail } from './mail-run.ts';
import { mailToRun } from './mail-to-run.ts';

interface RunOptions extends CommonOptions {
  readonly url?: string;
}

@SubCommand({
  name: 'run',
  description:
    'watch the mailbox of hooks.mail and send new mail to the service, until it is stopped; not while the service does so itself',
})
export class MailRunCommand extends HooksCommand {
  protected readonly examples: readonly Example[] = [
    ['hooks mail run', 'watch, and send to the service of this configuration'],
    ['hooks mail run --url http://127.0.0.1:18790', 'to a service that listens elsewhere'],
    ['hooks mail run --json', 'print the state as one JSON document a line, at every change'],
  ];

  constructor(
    private readonly terminal: Terminal,
    @InjectSurroundings() private readonly surroundings: Surroundings,
  ) {
    super();
  }

  @Option({ flags: '--url <url>', description: 'where the service listens' })
  parseUrl(url: string): string {
    return givenUrl(url).href;
  }

  override async run(_: string[], { json = false, url }: RunOptions): Promise<void> {
    const order = mailToRun(await inspectHere(this.surroundings), url);
    this.terminal.exitCode = await runMail(order, this.terminal, json);
  }
}
