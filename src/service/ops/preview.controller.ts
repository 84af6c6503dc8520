import { Controller, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { Allow, IsOptional, IsString, Length, ValidateBy, ValidateIf } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { HookPreview } from '../../hooks/index.ts';
import type { Preview } from '../../hooks/index.ts';
import { TakesBody, readBody } from './operator-input.ts';
import { OperatorGuard } from './operator.guard.ts';
import { Refusal } from '../refusals.ts';

/** An object whose values are texts, as headers and queries are. */
const IsTextByName = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isTextByName', validator: { validate: isTextByName } },
    { message: '$property must be an object of texts' },
  );

function isTextByName(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((entry) => typeof entry === 'string')
  );
}

/** Body of `POST /ops/api/preview`: a request of your own, or the `event` whose request is to be looked at again. */
export class PreviewBody {
  /** What would stand behind the prefix: `wake`, `agent`, or a sub-path. */
  @ValidateIf(({ event }: PreviewBody) => event === undefined)
  @IsString()
  @Length(1, 1024)
  hook!: string;

  /** Any JSON value; absent: `{}`. */
  @Allow()
  payload: unknown = {};

  /** Credentials are left out, as from a real request. */
  @IsOptional()
  @IsTextByName()
  headers?: Record<string, string>;

  /** Parameters of the URL. */
  @IsOptional()
  @IsTextByName()
  query?: Record<string, string>;

  /** Id of an earlier event; then nothing else counts. */
  @IsOptional()
  @IsString()
  @Length(1, 64)
  event?: string;
}

/** What would become of a request, without any effect. */
@Controller('ops/api/preview')
@UseGuards(OperatorGuard)
export class PreviewController {
  constructor(private readonly hooks: HookPreview) {}

  /** What would become of a request. One that would be refused is a preview, too: its `refusal` says so. @throws Refusal 400, 404, 410, 413 */
  @Post()
  @HttpCode(200)
  @TakesBody()
  async preview(@Req() request: FastifyRequest): Promise<Preview> {
    const { event, ...asked } = await readBody(request, PreviewBody);
    if (event === undefined) return this.hooks.of(asked);
    const preview = await this.hooks.ofEvent(event);
    if (typeof preview !== 'string') return preview;
    throw new Refusal(preview === 'pruned' ? 'payload_pruned' : 'unknown_event');
  }
}
