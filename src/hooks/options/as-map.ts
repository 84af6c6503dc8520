import { Transform, plainToInstance } from 'class-transformer';
import type { ClassConstructor } from 'class-transformer';
import { isRecord } from './problem.ts';

/** A map of the configuration, written as an object; what is none stays as it came, for the validators to refuse. */
export function AsMap(entry?: ClassConstructor<object>): PropertyDecorator {
  return Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) => {
    const given = obj[key];
    if (!isRecord(given)) return given;
    return new Map(Object.entries(given).map(([name, value]) => [name, toEntry(value, entry)]));
  });
}

function toEntry(value: unknown, entry: ClassConstructor<object> | undefined): unknown {
  if (entry === undefined || !isRecord(value)) return value;
  return plainToInstance(entry, value, { exposeDefaultValues: true });
}
