import { isRecord } from './problem.ts';
import type { Problem } from './problem.ts';

/** A section as it was written, without what no section may hold. */
export interface PlainSection {
  readonly plain: Readonly<Record<string, unknown>>;
  readonly problems: readonly Problem[];
}

/**
 * Takes out of a section what the checks behind it would overlook or trip over: `null`, which is neither a value nor
 * absence, and names that every object has already (`constructor`, `__proto__`, …). Both are reported.
 */
export function plainSection(given: Readonly<Record<string, unknown>>, key: string): PlainSection {
  const problems: Problem[] = [];
  return { plain: cleanRecord(given, key, problems), problems };
}

function cleanRecord(
  record: Readonly<Record<string, unknown>>,
  key: string,
  problems: Problem[],
): Readonly<Record<string, unknown>> {
  const kept = Object.entries(record).flatMap(([name, value]): [string, unknown][] => {
    const path = `${key}.${name}`;
    if (name in Object.prototype) {
      problems.push({ key: path, message: 'has a reserved name; remove it or use another name' });
      return [];
    }
    if (value === null) {
      problems.push({ key: path, message: 'must not be null; set a value or remove the key' });
      return [];
    }
    return [[name, clean(value, path, problems)]];
  });
  return Object.fromEntries(kept);
}

function clean(value: unknown, key: string, problems: Problem[]): unknown {
  if (Array.isArray(value)) {
    return value.map((entry: unknown, index) => clean(entry, `${key}[${index}]`, problems));
  }
  return isRecord(value) && !(value instanceof Map) ? cleanRecord(value, key, problems) : value;
}
