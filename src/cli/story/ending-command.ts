import { Injectable } from '@nestjs/common';
import { Option } from 'nest-commander';
import { positiveNumber } from '../named-values.ts';
import { ServiceCommand } from '../service/service-command.ts';
import type { ServiceOptions } from '../service/service-command.ts';
import { ServiceFinder } from '../service/service-finder.ts';
import { Terminal } from '../terminal.ts';
import { StoryDisplay } from './story-display.ts';

export interface EndingOptions extends ServiceOptions {
  readonly wait?: boolean;
  readonly timeout?: number;
}

/** A command that sets an event going and, if asked to, tells how it ends. */
@Injectable()
export abstract class EndingCommand extends ServiceCommand {
  constructor(
    terminal: Terminal,
    services: ServiceFinder,
    protected readonly display: StoryDisplay,
  ) {
    super(terminal, services);
  }

  @Option({ flags: '--wait', description: 'wait for the end and tell it' })
  parseWait(): boolean {
    return true;
  }

  @Option({ flags: '--timeout <seconds>', description: 'longest wait for the end (default: 900)' })
  parseTimeout(seconds: string): number {
    return positiveNumber('--timeout', seconds);
  }
}
