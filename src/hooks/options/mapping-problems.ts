import { getField, isRecord, parseJson } from '../../platform/objects.ts';
import type { Problem } from './problem.ts';

const MAPPING_KEY = /^hooks\.mappings\[(\d+)\](.*)$/u;
const LONGEST_SHOWN_ID = 80;

/**
 * Adds to what is wrong with a mapping which one it is and what kind of value was given there. Never the value itself:
 * it may hold a secret.
 * @param mappings as they were written, right or wrong
 */
export function inMappings(problems: readonly Problem[], mappings: unknown): Problem[] {
  const list: readonly unknown[] = Array.isArray(mappings) ? mappings : [];
  return problems.map((problem) => {
    const { key, message } = problem;
    const [, index, path = ''] = MAPPING_KEY.exec(key) ?? [];
    if (index === undefined) return problem;
    const mapping = list[Number(index)];
    const steps = Array.from(path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/gu));
    const value = getField(
      mapping,
      ...steps.map(([, name, index, quoted = '""']) => name ?? index ?? String(parseJson(quoted))),
    );
    return {
      ...problem,
      message: `${message} (${[...nameOf(mapping), `given: ${kindOf(value)}`].join(', ')})`,
    };
  });
}

/** `mapping "<id>"`, for a mapping that has an id. */
function nameOf(mapping: unknown): string[] {
  const id = getField(mapping, 'id');
  if (typeof id !== 'string' || id === '') return [];
  return [`mapping ${JSON.stringify(id.slice(0, LONGEST_SHOWN_ID))}`];
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value === 'string') return kindOfText(value);
  if (typeof value === 'number') return Number.isNaN(value) ? 'not a number' : 'a number';
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return isRecord(value) ? 'an object' : `a ${typeof value}`;
}

function kindOfText(text: string): string {
  if (text === '') return 'an empty text';
  return text.trim() === '' ? 'a blank text' : 'a text';
}
