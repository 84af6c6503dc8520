import { Controller, Get, Param, UseGuards } from '@nestjs/common';
import { HooksSettings } from '../../../hooks/index.ts';
import { Refusal } from '../../refusals.ts';
import { listPresetSamples, sampleRequest } from '../../senders/samples.ts';
import type { SampleRequest, Samples } from '../configuring-answers.ts';
import { OperatorGuard } from '../access/operator.guard.ts';

@Controller('ops/api/samples')
@UseGuards(OperatorGuard)
export class SamplesController {
  constructor(private readonly settings: HooksSettings) {}

  /** The presets that have samples, with the names of these. */
  @Get()
  list(): Samples {
    return { presets: listPresetSamples(this.settings.current) };
  }

  /**
   * One of them, as its sender would send it, without its signature.
   * @param preset Id of the preset.
   * @param name Name of the sample.
   * @throws Refusal 404
   */
  @Get(':preset/:name')
  get(@Param('preset') preset: string, @Param('name') name: string): SampleRequest {
    const sample = sampleRequest(preset, name, this.settings.current);
    if (sample === undefined) throw new Refusal('unknown_sample');
    return sample;
  }
}
