import { useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { Link } from 'wouter-preact';
import { answer, api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { STATUSES } from './filters.tsx';
import type { Filters } from './filters.tsx';

// What one can narrow the list by with a click, how many there are, and the lists that somebody wants to see again.

const EVERY_MS = 30_000;
const KEY = 'hooks-views';

/** Hooks and statuses with what came in the last 24 hours. */
export function Facets({
  filters: { hook, status },
  set,
}: {
  filters: Filters;
  set: (name: keyof Filters, value: string) => void;
}) {
  const { data } = useResource(() => answer(api.GET('/ops/api/hooks')), [], EVERY_MS);
  const used = (data?.hooks ?? []).filter(({ accepted }) => accepted !== null && accepted > 0);
  const counted = used.filter(({ name }) => (hook ?? name) === name);
  const facet = (name: 'hook' | 'status', value: string, count: number, isOn: boolean) => (
    <button
      key={value}
      type="button"
      class="small"
      aria-pressed={isOn}
      onClick={() => set(name, isOn ? '' : value)}
    >
      {value} <span class="faint">{count.toLocaleString()}</span>
    </button>
  );
  return (
    <div class="facets" role="group" aria-label="Of the last 24 hours">
      {STATUSES.map((one) => {
        const count = counted.reduce((sum, { statuses }) => sum + (statuses?.[one] ?? 0), 0);
        return count > 0 || one === status ? facet('status', one, count, one === status) : null;
      })}
      <span class="faint">·</span>
      {used.map(({ name, accepted }) => facet('hook', name!, accepted!, name === hook))}
    </div>
  );
}

/** Lists by the filters of their addresses, kept in this browser. */
export function SavedViews() {
  const [parameters] = useSearchParams();
  const [saved, setSaved] = useState(kept);
  const here = parameters.toString();
  const keep = (views: readonly string[]) => {
    localStorage.setItem(KEY, JSON.stringify(views));
    setSaved(views);
  };
  if (here === '' && saved.length === 0) return null;
  return (
    <div class="facets" role="group" aria-label="Saved views">
      {saved.map((view) => (
        <span key={view}>
          <Link class="button small" href={`/events?${view}`}>
            {nameOf(view)}
          </Link>
          <button
            type="button"
            class="quiet small"
            aria-label={`Remove the view ${nameOf(view)}`}
            onClick={() => keep(saved.filter((one) => one !== view))}
          >
            ×
          </button>
        </span>
      ))}
      {here !== '' && !saved.includes(here) && (
        <button type="button" class="quiet small" onClick={() => keep([...saved, here])}>
          Save this view
        </button>
      )}
    </div>
  );
}

/** Whatever else wrote there. */
function kept(): readonly string[] {
  try {
    const views: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(views) ? views.filter((view) => typeof view === 'string') : [];
  } catch {
    return [];
  }
}

function nameOf(view: string): string {
  return [...new URLSearchParams(view).values()].join(', ');
}
