import { Allow, IsIn, IsOptional, Matches, ValidateBy } from 'class-validator';
import { isRecord } from '../../platform/objects.ts';

/** An object whose values are texts, as headers and queries are. */
const IsTextByName = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isTextByName', validator: { validate: isTextByName } },
    { message: '$property must be an object of texts' },
  );

function isTextByName(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((entry) => typeof entry === 'string');
}

/** What a request of the operator's own brings besides the name of its hook. */
export class RequestFields {
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
}

/** A request of your own, also the body of `POST /ops/api/sign`. */
export class RequestBody extends RequestFields {
  /** What would stand behind the prefix: `wake`, `agent`, or a sub-path. */
  @Matches(/^[^\s?#\p{C}]{1,1024}$/u, { message: 'hook must be a path of a hook' })
  hook!: string;
}

/** Body of `POST /ops/api/send`. */
export class SendBody extends RequestBody {
  /**
   * In whose name. `operator`: yours, without a proof. `sender`: that of its sender, signed with the newest secret of the
   * hook, or with its token, and verified like any request.
   */
  @IsIn(['operator', 'sender'], { message: 'as must be operator or sender' })
  as: 'operator' | 'sender' = 'operator';
}
