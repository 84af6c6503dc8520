import { applyDecorators } from '@nestjs/common';
import { IsArray, IsOptional, ValidateBy, ValidateIf } from 'class-validator';

/** Every way to run an agent, `agents.list[].runner.type`. */
export const RUNNER_TYPES = ['model', 'demo', 'command', 'http'] as const;
export type RunnerType = (typeof RUNNER_TYPES)[number];

/** The key that decides which others may stand beside it. */
interface Typed {
  readonly type: RunnerType;
}

/** A key that this type cannot do without, and no other type may have. */
export function RequiredBy(type: RunnerType): PropertyDecorator {
  return applyDecorators(
    BelongsTo(type),
    ValidateIf((runner: Typed, value) => runner.type === type || isStray(runner, value)),
  );
}

/** A key that only this type may have. */
export function OptionalFor(type: RunnerType): PropertyDecorator {
  return applyDecorators(
    BelongsTo(type),
    ValidateIf((runner: Typed, value) => runner.type === type || isStray(runner, value)),
    IsOptional(),
  );
}

/** Under an unknown type nothing can be said about the other keys. */
function isStray({ type }: Typed, value: unknown): boolean {
  return value !== undefined && RUNNER_TYPES.includes(type);
}

function BelongsTo(type: RunnerType): PropertyDecorator {
  return ValidateBy({
    name: 'belongsTo',
    validator: {
      validate: (_value, args) => typeOf(args?.object) === type,
      defaultMessage: () => `belongs to a runner of type ${type}; remove it or set type to ${type}`,
    },
  });
}

function typeOf(runner: object | undefined): unknown {
  return runner === undefined ? undefined : Reflect.get(runner, 'type');
}

/** A key that makes sense only with another one, or only with one value of it. */
export function NeedsKey(other: string, why: string, wanted?: string): PropertyDecorator {
  return ValidateBy({
    name: 'needsKey',
    validator: {
      validate: (_value, args) => {
        const found: unknown = args === undefined ? undefined : Reflect.get(args.object, other);
        return wanted === undefined ? found !== undefined : found === wanted;
      },
      defaultMessage: () => `needs ${other}, which ${why}`,
    },
  });
}

/** Arguments with a place for the program's own session id. */
export function HoldsSession(): PropertyDecorator {
  return ValidateBy({
    name: 'holdsSession',
    validator: {
      validate: (value) =>
        !Array.isArray(value) || value.some((arg) => String(arg).includes('{session}')),
      defaultMessage: () => 'must have {session} in one of the arguments',
    },
  });
}

/** A list of texts of one form. */
export function IsTextList(form: RegExp, message: string): PropertyDecorator {
  const isText = (value: unknown): boolean => typeof value === 'string' && form.test(value);
  return applyDecorators(
    ValidateBy({
      name: 'texts',
      validator: {
        validate: (value) => !Array.isArray(value) || value.every(isText),
        defaultMessage: () => message,
      },
    }),
    IsArray(),
  );
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;
/** Headers that make the request what it is. */
const OWN_HEADERS =
  /^(?:host|connection|keep-alive|content-(?:type|length|encoding)|transfer-encoding|te|trailer|upgrade|expect)$/i;

function isHeader([name, value]: [string, unknown]): boolean {
  const isName = HEADER_NAME.test(name) && !OWN_HEADERS.test(name);
  return isName && typeof value === 'string' && HEADER_VALUE.test(value);
}

/** Headers that a request can carry, by name. */
export function SendableHeaders(): PropertyDecorator {
  return ValidateBy({
    name: 'headers',
    validator: {
      validate: (value) => !(value instanceof Map) || [...value].every(isHeader),
      defaultMessage: ({ value }: { value?: unknown } = {}) => {
        const wrong = value instanceof Map ? [...value].find((entry) => !isHeader(entry)) : [];
        return `has a header that cannot be sent (${String(wrong?.[0])}): names are letters, digits and hyphens, values one line of printable ASCII, and what describes the request itself (host, content-type, …) is ours`;
      },
    },
  });
}
