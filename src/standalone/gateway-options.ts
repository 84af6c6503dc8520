import { Type } from 'class-transformer';
import {
  IsArray,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { parseRange } from '../hooks/index.ts';

function isAddressOrRange(entry: unknown): boolean {
  return typeof entry === 'string' && parseRange(entry) !== null;
}

function AreAddressRanges(): PropertyDecorator {
  return ValidateBy({
    name: 'areAddressRanges',
    validator: {
      validate: (value) => Array.isArray(value) && value.every(isAddressOrRange),
      defaultMessage: () => 'must list addresses or CIDR ranges, for example ["10.0.0.0/8", "::1"]',
    },
  });
}

/** `gateway.auth`. */
export class GatewayAuthOptions {
  /** The operator's token for /ops. Absent: generated once and kept as `operator-token` in the data directory. */
  @IsOptional()
  @IsString()
  @Matches(/\S/, { message: 'must not be blank; set a long random string or remove it' })
  token?: string;
}

/** The `gateway` section: how the service listens. Every change needs a restart. */
export class GatewayOptions {
  /** Address to listen on. GATEWAY_HOST in the environment wins. */
  @IsString()
  @IsNotEmpty()
  host = '127.0.0.1';

  /** Port to listen on, 0 to 65,535; 0: any free one. GATEWAY_PORT in the environment wins. */
  @IsInt()
  @Min(0)
  @Max(65_535)
  port = 18_790;

  @ValidateNested()
  @Type(() => GatewayAuthOptions)
  auth = new GatewayAuthOptions();

  /** Addresses and CIDR ranges of reverse proxies whose `X-Forwarded-For` is believed. */
  @IsArray()
  @AreAddressRanges()
  trustedProxies: string[] = [];

  /** How long runs may go on after SIGTERM before they are left to the next start, 0 to 3,600. */
  @IsNumber()
  @Min(0)
  @Max(3600)
  shutdownSeconds = 20;
}
