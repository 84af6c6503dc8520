import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsPositive,
  IsString,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { MappingOptions } from './mapping-options.ts';
import { OptionalText } from './optional-text.ts';
import { TransformLimitsOptions } from './transform-options.ts';

/** `hooks.authFailures`: the failure budget of one client address over all hook endpoints. */
export class AuthFailuresOptions {
  /** Failures within the window that are answered 401; the last of them locks. 1 to 1,000. */
  @IsInt()
  @Min(1)
  @Max(1000)
  limit = 20;

  /** Length of the sliding window. */
  @IsNumber()
  @IsPositive()
  windowSeconds = 60;

  /** How long a locked client is answered 429. Failures during the lock do not lengthen it. */
  @IsNumber()
  @IsPositive()
  lockSeconds = 60;

  /** True: a right token is refused during the lock, too. */
  @IsBoolean()
  strict = false;
}

/** The `hooks` section: everything that can change without a restart, but for `path`. */
export class HooksOptions {
  /** Turns the ingress on. */
  @IsBoolean()
  enabled = false;

  /** Shared secret of every sender. Required when enabled; must not be the gateway's own. */
  @IsOptional()
  @IsString()
  token?: string;

  /** Path prefix of all hook endpoints. Changing it needs a restart. */
  @IsString()
  path = '/hooks';

  /** Agents that requests and mappings may name. Absent or containing `*`: any. `[]`: none. */
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  allowedAgentIds?: string[];

  /** Session of agent runs that name none. Absent: a fresh `hook:<uuid>` each. */
  @IsOptional()
  @IsString()
  @Matches(/\S/, { message: 'must not be blank; set a key or remove it' })
  defaultSessionKey?: string;

  /** Whether `sessionKey` of an agent payload is accepted. */
  @IsBoolean()
  allowRequestSessionKey = false;

  /** Prefixes that session keys named by requests and mappings must have. Absent or empty: any. */
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  @Matches(/\S/, { each: true, message: 'must not hold a blank prefix; it would allow every key' })
  allowedSessionKeyPrefixes?: string[];

  /** Built-in mappings to enable, by name: `mail`, `alertmanager`, … (docs/presets.md). */
  @IsArray()
  @IsString({ each: true })
  presets: string[] = [];

  /** Custom hooks, in order: the first that matches wins, presets come after. */
  @IsArray()
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => MappingOptions)
  mappings: MappingOptions[] = [];

  /** Where the modules of transforms are: relative to `<config dir>/transforms` or absolute inside it. Default: that directory. */
  @OptionalText()
  transformsDir?: string;

  @IsObject()
  @ValidateNested()
  @Type(() => TransformLimitsOptions)
  transformLimits = new TransformLimitsOptions();

  /** Largest body in bytes; exactly that passes. 1 to 67,108,864. */
  @IsInt()
  @Min(1)
  @Max(64 * 1024 * 1024)
  maxBodyBytes = 262_144;

  /** How long a sender may take for the whole body. Over 0, at most 600. */
  @IsNumber()
  @IsPositive()
  @Max(600)
  bodyTimeoutSeconds = 30;

  @IsObject()
  @ValidateNested()
  @Type(() => AuthFailuresOptions)
  authFailures = new AuthFailuresOptions();

  /** How long idempotency keys are remembered, over 0 and at most 8,760. */
  @IsNumber()
  @IsPositive()
  @Max(8_760)
  idempotencyHours = 72;

  /** `always`: every run posts a summary into the main session. `unless-delivered`: only when its reply was not delivered. */
  @IsIn(['always', 'unless-delivered'])
  summary: 'always' | 'unless-delivered' = 'always';
}
