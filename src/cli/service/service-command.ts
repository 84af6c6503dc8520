import { Injectable } from '@nestjs/common';
import { Option } from 'nest-commander';
import { HooksCommand } from '../hooks-command.ts';
import type { CommonOptions } from '../hooks-command.ts';
import { Terminal } from '../terminal.ts';
import { ServiceFinder } from './service-finder.ts';
import type { ServiceChoice } from './service-finder.ts';

/** Options that {@link ServiceCommand} gives to every command that asks the running service. */
export type ServiceOptions = CommonOptions & ServiceChoice;

/** A command that asks the running service. */
@Injectable()
export abstract class ServiceCommand extends HooksCommand {
  constructor(
    protected readonly terminal: Terminal,
    protected readonly services: ServiceFinder,
  ) {
    super();
  }

  @Option({
    flags: '--url <url>',
    description: 'where the service is (default: gateway.host and gateway.port)',
  })
  parseUrl(url: string): string {
    return url;
  }

  @Option({
    flags: '--token-file <file>',
    description: 'file with its operator token (default: that of this configuration)',
  })
  parseTokenFile(file: string): string {
    return file;
  }
}
