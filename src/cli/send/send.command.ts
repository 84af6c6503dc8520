import { Command, Option } from 'nest-commander';
import type { Surroundings } from '../../standalone/start.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { Example } from '../hooks-command.ts';
import { Interruption } from '../interruption.ts';
import { positiveNumber } from '../named-values.ts';
import type { ServiceClient } from '../service/service-client.ts';
import type { ServiceOptions } from '../service/service-command.ts';
import { ServiceFinder } from '../service/service-finder.ts';
import { StoryDisplay } from '../story/story-display.ts';
import type { DisplayOptions } from '../story/story-display.ts';
import { InjectSurroundings } from '../surroundings.ts';
import { Terminal } from '../terminal.ts';
import { FlaggedCommand } from './flagged-command.ts';
import type { Flags } from './flag-payload.ts';
import { hookPost } from './hook-post.ts';
import type { PostOptions } from './hook-post.ts';

type SendOptions = ServiceOptions & DisplayOptions & PostOptions & Flags;

@Command({
  name: 'send',
  arguments: '<hook>',
  argsDescription: { hook: 'wake, agent, or the path of a mapping' },
  description: 'send a request to a hook and tell what becomes of it',
})
export class SendCommand extends FlaggedCommand {
  protected readonly examples: readonly Example[] = [
    ['hooks send wake --text "The build is red"', 'wake the default agent'],
    ['hooks send agent --message "Say hello" --no-deliver', 'ask an agent, and see its reply'],
    ['hooks send github --payload push.json --header "X-GitHub-Event: push"', 'try a mapping'],
    ['curl -s … | hooks send github --payload - --no-wait', 'only print the id of the event'],
  ];

  constructor(
    terminal: Terminal,
    services: ServiceFinder,
    private readonly display: StoryDisplay,
    @InjectSurroundings() private readonly surroundings: Surroundings,
  ) {
    super(terminal, services);
  }

  override async run([hook = '']: string[], options: SendOptions): Promise<void> {
    using interruption = new Interruption();
    const { signal } = interruption;
    const service = await this.services.find(options, signal);
    const { cwd } = this.surroundings;
    const source = { cwd, signal, stdin: this.terminal.streams.stdin };
    const post = await hookPost(hook, options, service.hooksPath, source);
    throwWithoutToken(service);
    const receipt = await service.send(post);
    await this.display.follow(service, receipt, options, interruption);
  }

  @Option({ flags: '--idempotency-key <key>', description: 'a repeat of the same key runs once' })
  parseIdempotencyKey(key: string): string {
    return key;
  }

  @Option({ flags: '--no-wait', description: 'print the id of the event and end' })
  parseNoWait(): boolean {
    return false;
  }

  @Option({ flags: '--timeout <seconds>', description: 'longest wait for the end (default: 900)' })
  parseTimeout(seconds: string): number {
    return positiveNumber('--timeout', seconds);
  }

  @Option({
    flags: '--hook-token-file <file>',
    description: 'file with the hook token (default: that of this configuration)',
  })
  parseHookTokenFile(file: string): string {
    return file;
  }
}

function throwWithoutToken(service: ServiceClient): void {
  if (service.canSend) return;
  throw new CliError(
    'There is no hook token to send with.',
    'Set hooks.token in gateway.json5, or name a file with --hook-token-file.',
    EXIT.usage,
  );
}
