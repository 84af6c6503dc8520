import { ValidateBy } from 'class-validator';

/** A text, or a list of them, one per line. */
export const IsTextOrLines = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isTextOrLines', validator: { validate: isTextOrLines } },
    { message: 'must be a text or a list of texts, one per line' },
  );

function isTextOrLines(value: unknown): boolean {
  if (typeof value === 'string') return true;
  return Array.isArray(value) && value.every((line) => typeof line === 'string');
}
