import { applyDecorators } from '@nestjs/common';
import { IsNotEmpty, IsOptional, IsString } from 'class-validator';

/** A text that may be absent, but not empty. */
export function OptionalText(): PropertyDecorator {
  return applyDecorators(IsOptional(), IsString(), IsNotEmpty());
}
