import { Controller, HttpCode, Inject, Param, Post, Req, UseGuards } from '@nestjs/common';
import { IsOptional, Matches } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { Clock } from '../../../hooks/index.ts';
import { UNKNOWN_BASE } from '../../senders/hook-list.ts';
import { Refusal } from '../../refusals.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { Changes, Changing } from '../audited.ts';
import type { Change } from '../audited.ts';
import type { PresetEnabled } from '../configuring-answers.ts';
import { TakesBody, readBody } from '../operator-input.ts';
import { OPS_OPTIONS } from '../ops-options.ts';
import type { OpsModuleOptions } from '../ops-options.ts';
import { orRefusal } from '../unchanged.ts';

export class PresetBody {
  /** The secret that its sender has made, in one line of at most 4,096 characters. Absent: it is made here, or there already. */
  @IsOptional()
  @Matches(/^(?=.*\S)\P{Cc}{1,4096}$/u, { message: 'secret must be one line of text' })
  secret?: string;

  /** `hooks.publicUrl`, where no file says it: where senders reach the service. */
  @IsOptional()
  @Matches(/^https?:\/\/[^\s?#@]{1,1000}$/, {
    message: 'publicUrl must be an address such as https://hooks.example.org',
  })
  publicUrl?: string;
}

@Controller('ops/api/presets')
@UseGuards(OperatorGuard)
export class PresetsController {
  constructor(
    private readonly clock: Clock,
    @Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions,
  ) {}

  /**
   * Enables a preset as `hooks setup <preset>` does, in force at once: a fragment of its own, with a secret or a token that
   * is told this once. One that is enabled already stays as it is.
   * @param id Of the preset.
   * @throws Refusal 400, 404, 409, 413, 501
   */
  @Post(':id')
  @HttpCode(200)
  @TakesBody()
  @Changes('configure')
  async enable(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Changing() change: Change,
  ): Promise<PresetEnabled> {
    const { presetKeeper, hooksOrigin = UNKNOWN_BASE } = this.options;
    const { secret, publicUrl } = await readBody(request, PresetBody);
    if (presetKeeper === undefined) throw new Refusal('no_configuration_files');
    const wanted = { secret: secret?.trim(), publicUrl: publicUrl?.replace(/\/+$/, '') };
    const enabled = await orRefusal(
      presetKeeper.enable(id, wanted, hooksOrigin, this.clock.now()),
      () => new Refusal('unknown_preset'),
    );
    change.after = { files: enabled.files, isMade: enabled.made !== null };
    return { ok: true, ...enabled };
  }
}
