import { Allow, IsOptional, IsString, Length, ValidateBy, ValidateIf } from 'class-validator';

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

  @IsOptional()
  @IsTextByName()
  headers?: Record<string, string>;

  @IsOptional()
  @IsTextByName()
  query?: Record<string, string>;

  /** Id of an earlier event; then nothing else counts. */
  @IsOptional()
  @IsString()
  @Length(1, 64)
  event?: string;
}
