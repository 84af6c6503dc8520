import { IsInt, IsString, Matches, Max, Min } from 'class-validator';
import { OptionalText } from './optional-text.ts';

/** `hooks.mappings[].transform`: code of the operator that decides instead of, or after, the templates. */
export class TransformOptions {
  /** File below the transforms directory: `.js`, `.mjs`, `.ts` or `.mts`. */
  @IsString()
  @Matches(/\S/, { message: 'must name a file in the transforms directory' })
  module!: string;

  /** Name of the export to call. Default: `default`, else `transform`. */
  @OptionalText()
  export?: string;
}

/** `hooks.transformLimits`: what one call of a transform may cost, and how many run at once. */
export class TransformLimitsOptions {
  /** Wall time of one call in milliseconds, 10 to 60,000; then 504. */
  @IsInt()
  @Min(10)
  @Max(60_000)
  timeoutMs = 500;

  /** Memory of one call in megabytes, 4 to 512; then 500. */
  @IsInt()
  @Min(4)
  @Max(512)
  memoryMb = 32;

  /** Largest result as JSON in kilobytes, 1 to 16,384; then 500. */
  @IsInt()
  @Min(1)
  @Max(16_384)
  resultKb = 256;

  /** Threads that transforms run in, 1 to 16; started when they are needed. */
  @IsInt()
  @Min(1)
  @Max(16)
  workers = 2;
}
