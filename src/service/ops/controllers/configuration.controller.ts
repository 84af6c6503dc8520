import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { Refusal } from '../../refusals.ts';
import type { ConfigurationReport } from '../../configuration/report.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { OPS_OPTIONS } from '../ops-options.ts';
import type { OpsModuleOptions } from '../ops-options.ts';

@Controller('ops/api/configuration')
@UseGuards(OperatorGuard)
export class ConfigurationController {
  #asked: Promise<ConfigurationReport> | undefined;

  constructor(@Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions) {}

  /** What is in force and where it comes from, what is wrong with the files, and what waits for a restart. @throws Refusal 501 */
  @Get()
  report(): Promise<ConfigurationReport> {
    const { configurationReport } = this.options;
    if (configurationReport === undefined) throw new Refusal('no_configuration_files');
    // Reading and checking all files is work: one answer for all who ask meanwhile.
    this.#asked ??= configurationReport().finally(() => (this.#asked = undefined));
    return this.#asked;
  }
}
