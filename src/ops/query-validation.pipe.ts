import { Injectable, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from '@nestjs/common';
import { OpsRefusal } from './refusal.ts';

/** Turns a query into its DTO; an unknown name or a bad value is refused with every reason. */
@Injectable()
export class QueryValidationPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      exceptionFactory: (errors) => new OpsRefusal('invalid_query', reasons(errors)),
    });
  }
}

/** Everything that is wrong, as the end of a sentence. */
export function reasons(errors: readonly ValidationError[]): string {
  return errors.flatMap(({ constraints }) => Object.values(constraints ?? {})).join('; ');
}
