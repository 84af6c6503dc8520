import type { Problem } from './problem.ts';

/** What only the whole list shows: an id used twice, more than one default. The list may still have any shape. */
export function agentListProblems(list: unknown): Problem[] {
  if (!Array.isArray(list)) return [];
  const ids = list.map((entry: unknown) => fieldOf(entry, 'id')).map(fold);
  const defaults = list.map((entry: unknown) => fieldOf(entry, 'default') === true);
  return ids.flatMap((id, index) => {
    const problems: Problem[] = [];
    if (typeof id === 'string' && ids.indexOf(id) < index) {
      problems.push({
        key: `agents.list[${index}].id`,
        message: 'is used twice; ids are compared case-folded',
      });
    }
    if (defaults[index] === true && defaults.indexOf(true) < index) {
      problems.push({
        key: `agents.list[${index}].default`,
        message: 'is true for a second agent; keep one',
      });
    }
    return problems;
  });
}

function fieldOf(entry: unknown, key: string): unknown {
  return typeof entry === 'object' && entry !== null ? Reflect.get(entry, key) : undefined;
}

function fold(id: unknown): unknown {
  return typeof id === 'string' ? id.trim().toLowerCase() : id;
}
