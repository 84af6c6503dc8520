import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Put,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import { IsOptional, Matches } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { OperatorRequests, SENDER_ID, SENDER_ID_RULE } from '../../../hooks/index.ts';
import type { MappingTrial } from '../../../hooks/index.ts';
import type { SavedMappings } from '../../configuration/saved-mappings.ts';
import { Refusal } from '../../refusals.ts';
import { OperatorGuard } from '../access/operator.guard.ts';
import { Needs } from '../access/operators.ts';
import { Changes, Changing } from '../audited.ts';
import type { Change } from '../audited.ts';
import type { MappingChange, Mappings } from '../configuring-answers.ts';
import { IsMapping, QueryPipe, TakesBody, readBody } from '../operator-input.ts';
import { OPS_OPTIONS } from '../ops-options.ts';
import type { OpsModuleOptions } from '../ops-options.ts';
import { orRefusal } from '../unchanged.ts';

const IsRevision = (): PropertyDecorator =>
  Matches(/^[\da-f]{64}$/, { message: 'revision must be that of GET /ops/api/mappings' });

export class MappingBody {
  /** An entry of `hooks.mappings` with that `id`. `${NAME}` in it is text; it holds no secret. */
  @IsMapping()
  mapping!: Record<string, unknown>;

  /** Of the one that it replaces; absent: there is none. */
  @IsOptional()
  @IsRevision()
  revision?: string;
}

export class TrialBody {
  /** An entry of `hooks.mappings`, kept nowhere: in place of the one with its id, else before all others. */
  @IsMapping()
  mapping!: Record<string, unknown>;
}

export class RevisionQuery {
  /** Of the one that is meant. */
  @IsRevision()
  revision!: string;
}

@Controller('ops/api/mappings')
@UseGuards(OperatorGuard)
export class MappingsController {
  constructor(
    @Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions,
    private readonly requests: OperatorRequests,
  ) {}

  /** Those that were saved here and changed by nobody since, and why no more can be. */
  @Get()
  @Needs('configure')
  list(): Mappings {
    const { savedMappings } = this.options;
    if (savedMappings === undefined) {
      return { unwritable: Refusal.body('no_configuration_files').error, mappings: [] };
    }
    return { unwritable: whyUnwritable(savedMappings), mappings: savedMappings.list() };
  }

  /**
   * What a mapping would have made of the last 200 events of seven days, in at most two seconds, without any effect.
   * Rules are not looked at.
   * @throws Refusal 400, 413
   */
  @Post('trial')
  @HttpCode(200)
  @TakesBody()
  @Needs('configure')
  async trial(@Req() request: FastifyRequest): Promise<MappingTrial> {
    const { mapping } = await readBody(request, TrialBody);
    return this.requests.tryMapping(mapping);
  }

  /**
   * Saves a mapping as `gateway.d/mapping-<id>.json5`, in force at once, if the whole configuration is sound with it.
   * @param id Of the mapping.
   * @throws Refusal 400, 409, 413, 501
   */
  @Put(':id')
  @TakesBody()
  @Changes('configure')
  async save(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Changing() change: Change,
  ): Promise<MappingChange> {
    const { mapping, revision = null } = await readBody(request, MappingBody);
    if (!SENDER_ID.test(id)) throw new Refusal('invalid_body', `id ${SENDER_ID_RULE}`);
    return this.#change(id, mapping, revision, change);
  }

  /**
   * Removes a mapping that was saved here, at once.
   * @param id Of the mapping.
   * @throws Refusal 400, 404, 409, 501
   */
  @Delete(':id')
  @Changes('configure')
  remove(
    @Param('id') id: string,
    @Query(QueryPipe) { revision }: RevisionQuery,
    @Changing() change: Change,
  ): Promise<MappingChange> {
    return this.#change(id, undefined, revision, change);
  }

  async #change(
    id: string,
    mapping: Record<string, unknown> | undefined,
    revision: string | null,
    change: Change,
  ): Promise<MappingChange> {
    const { savedMappings } = this.options;
    if (savedMappings === undefined) throw new Refusal('no_configuration_files');
    const { before, after, ...answer } = await orRefusal(
      savedMappings.save(id, mapping, revision),
      () => new Refusal('unknown_mapping'),
    );
    change.before = before;
    change.after = after ?? {};
    return { ok: true, ...answer };
  }
}

function whyUnwritable({ isDemo, unwritable }: SavedMappings): string | null {
  if (isDemo) return Refusal.body('demo_configuration').error;
  if (unwritable === undefined) return null;
  return Refusal.body('configuration_read_only', unwritable).error;
}
