import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { Clock } from '../hooks/index.ts';
import type { Surroundings } from '../standalone/start.ts';
import { COMMANDS } from './commands.ts';
import { Program } from './program.ts';
import { ServiceFinder } from './service/service-finder.ts';
import { StoryDisplay } from './story/story-display.ts';
import { provideSurroundings } from './surroundings.ts';
import { Terminal } from './terminal.ts';
import { WaitingClock } from './waiting-clock.ts';

/** The command line: every command, and what they are given. */
@Module({})
export class CliModule {
  static for(surroundings: Surroundings, terminal: Terminal): DynamicModule {
    return {
      module: CliModule,
      providers: [
        Program,
        { provide: Terminal, useValue: terminal },
        provideSurroundings(surroundings),
        { provide: Clock, useClass: WaitingClock },
        ServiceFinder,
        StoryDisplay,
        ...COMMANDS.flatMap((command) => command.registerWithSubCommands()),
      ],
    };
  }
}
