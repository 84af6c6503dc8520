import { Injectable } from '@nestjs/common';
import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate } from 'class-validator';
import { Rejection } from '../ports/rejection.ts';
import { toHttpException } from './answer.ts';
import { assertObject, checkPayload, complaints, isTidied } from './payload-rules.ts';
import type { PayloadClass } from './payload-rules.ts';

/** What a compiler writes for types that are no class of the host's: nothing could be checked by them. */
const NO_CLASS: ReadonlySet<unknown> = new Set([Object, Array, String, Number, Boolean]);

/**
 * The pipe from a parsed payload to an instance of its parameter's class, checked by class-validator's decorators:
 * `@HookBody(HookValidationPipe) order: OrderPayload`. It refuses with an `HttpException`, 400, whose body is a hook's
 * refusal, `{ ok: false, error, code: 'invalid_payload' }`, and names every wrong field. On a route of the host's own
 * the host's filters get it.
 *
 * Payloads of the module's own endpoints are tidied first: texts trimmed, blank and `null` absent. For classes of the
 * host class-transformer makes the instance.
 */
@Injectable()
export class HookValidationPipe implements PipeTransform<unknown, object | Promise<object>> {
  /** @throws HttpException 400 (or rejects with it); Error where the parameter's type is no class. */
  transform(
    payload: unknown,
    { metatype }: Pick<ArgumentMetadata, 'metatype'>,
  ): object | Promise<object> {
    if (metatype === undefined || NO_CLASS.has(metatype)) {
      throw new Error('HookValidationPipe needs a class as the type of its parameter');
    }
    try {
      if (isTidied(metatype)) return checkPayload(payload, metatype);
      assertObject(payload);
    } catch (error) {
      throw error instanceof Rejection ? toHttpException(error) : error;
    }
    return validated(payload, metatype);
  }
}

async function validated(payload: object, metatype: PayloadClass): Promise<object> {
  const value = plainToInstance(metatype, payload);
  const errors = await validate(value, { forbidUnknownValues: false });
  if (errors.length === 0) return value;
  throw toHttpException(new Rejection('invalid_payload', complaints(errors).join('; ')));
}
