import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import type { ClassConstructor } from 'class-transformer';
import { IsObject, IsOptional, ValidateNested } from 'class-validator';

/** Keys of their own that may be absent together. */
export function OptionalSection(section: ClassConstructor<object>): PropertyDecorator {
  return applyDecorators(
    IsOptional(),
    IsObject(),
    ValidateNested(),
    Type(() => section),
  );
}
