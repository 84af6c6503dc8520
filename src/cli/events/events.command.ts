import { Command } from 'nest-commander';
import { CommandGroup } from '../command-group.ts';
import type { Example } from '../hooks-command.ts';
import { EventsListCommand } from './list.command.ts';
import { EventsReplayCommand } from './replay.command.ts';
import { EventsRetryCommand } from './retry.command.ts';
import { EventsShowCommand } from './show.command.ts';
import { EventsTailCommand } from './tail.command.ts';

@Command({
  name: 'events',
  description: 'list, follow, show, replay and retry events',
  subCommands: [
    EventsListCommand,
    EventsShowCommand,
    EventsTailCommand,
    EventsReplayCommand,
    EventsRetryCommand,
  ],
})
export class EventsCommand extends CommandGroup {
  protected readonly examples: readonly Example[] = [
    ['hooks events list --status failed', 'what went wrong'],
    ['hooks events show 0198c5c2-…', 'the whole story of one'],
    ['hooks events tail', 'follow what comes in'],
  ];
}
