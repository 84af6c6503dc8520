import type { Edit } from '../../standalone/editing/json5-edit.ts';
import { isSections } from '../../standalone/json5-document.ts';
import type { Sections } from '../../standalone/json5-document.ts';
import type { Note } from './note.ts';
import { textOf } from './reference-match.ts';

const ID = /^[a-z0-9_-]{1,64}$/;

/**
 * The agents that the hooks name, as entries of our `agents.list`, where they are missing. The default agent comes
 * first, since the first of a list is the default one.
 * @param named ids that mappings and `hooks.allowedAgentIds` name.
 */
export function carriedAgents(
  agents: unknown,
  named: readonly string[],
  present: Sections | undefined,
): { edits: Edit[]; notes: Note[] } {
  const here = idsOf(present?.['agents']);
  const wanted = [...new Set(named.map(folded).filter((id) => ID.test(id)))];
  const missing = wanted.filter((id) => !here.includes(id) && id !== 'main');
  if (missing.length === 0) return { edits: [], notes: [] };
  const usual = present === undefined ? (defaultOf(agents) ?? 'main') : 'main';
  const ids = here.length > 0 ? missing : [...new Set([usual, ...missing])];
  const path = ['agents', 'list'];
  const edits = ids.map((id): Edit => ({ kind: 'append', path, value: { id } }));
  const reason = `only the ids are carried over (${ids.join(', ')})`;
  const todo = 'give them models, workspaces and tools by hand (docs/agents.md)';
  return { edits, notes: [{ key: 'agents', reason, todo }] };
}

function idsOf(agents: unknown): string[] {
  return entriesOf(agents).map(({ id }) => id);
}

function defaultOf(agents: unknown): string | undefined {
  const entries = entriesOf(agents);
  return (entries.find(({ isDefault }) => isDefault) ?? entries[0])?.id;
}

/** The reference knows `agents.list` and, newer, `agents.entries` by id. */
function entriesOf(agents: unknown): { id: string; isDefault: boolean }[] {
  if (!isSections(agents)) return [];
  const { list, entries } = agents;
  const items: unknown[] = Array.isArray(list) ? list : [];
  const byId = isSections(entries) ? Object.entries(entries) : [];
  return [
    ...items.filter(isSections).map((entry) => [textOf(entry['id']) ?? '', entry] as const),
    ...byId,
  ]
    .filter(([id]) => id !== '')
    .map(([id, entry]) => ({
      id: folded(id),
      isDefault: isSections(entry) && entry['default'] === true,
    }));
}

function folded(id: string): string {
  return id.trim().toLowerCase();
}
