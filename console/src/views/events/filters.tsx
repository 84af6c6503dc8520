import { useEffect, useRef } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { SEARCH } from '../../ui/keyboard.tsx';

// What the list of events is narrowed by. It stands in the address, so that a link shows the same list.

export const STATUSES = [
  'accepted',
  'running',
  'waiting',
  'delivering',
  'done',
  'failed',
  'skipped',
] as const;

export interface Filters {
  readonly hook?: string;
  readonly status?: (typeof STATUSES)[number];
  readonly session?: string;
  /** A time as `datetime-local` writes it. */
  readonly since?: string;
  readonly until?: string;
  readonly search?: string;
  /** `refused`: the requests that led to no event, instead of events. */
  readonly show?: string;
}

const NAMES = ['search', 'hook', 'status', 'session', 'since', 'until', 'show'] as const;

/** The filters of the address, and how one of them is changed. */
export function useFilters(): [Filters, (name: keyof Filters, value: string) => void] {
  const [parameters, setParameters] = useSearchParams();
  const given = NAMES.flatMap((name) => {
    const value = parameters.get(name);
    return value === null || value === '' ? [] : [[name, value] as const];
  });
  const set = (name: keyof Filters, value: string) =>
    setParameters(
      (before) => {
        const after = new URLSearchParams(before);
        if (value === '') after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  return [Object.fromEntries(given), set];
}

/** The query of the API that a list by these filters asks with. */
export function toQuery({ hook, status, session, search, since, until }: Filters) {
  return { hook, status, session, search, since: toIso(since), until: toIso(until) };
}

function toIso(local: string | undefined): string | undefined {
  if (local === undefined) return undefined;
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** What a person fills in; a text counts once it is left or Enter was pressed. */
export function FilterFields({
  filters,
  set,
}: {
  filters: Filters;
  set: (name: keyof Filters, value: string) => void;
}) {
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if ((history.state as typeof SEARCH | null)?.isSearch === true) search.current?.focus();
  }, []);
  const text = (name: 'search' | 'hook' | 'session', label: string, placeholder: string) => (
    <div class={name === 'search' ? 'wide' : undefined}>
      <label for={`by-${name}`}>{label}</label>
      <input
        id={`by-${name}`}
        ref={name === 'search' ? search : undefined}
        type="search"
        value={filters[name] ?? ''}
        placeholder={placeholder}
        onChange={({ currentTarget }) => set(name, currentTarget.value.trim())}
      />
    </div>
  );
  const time = (name: 'since' | 'until', label: string) => (
    <div class="moment">
      <label for={`by-${name}`}>{label}</label>
      <input
        id={`by-${name}`}
        type="datetime-local"
        value={filters[name] ?? ''}
        onChange={({ currentTarget }) => set(name, currentTarget.value)}
      />
    </div>
  );
  return (
    <form
      class="fields"
      role="search"
      aria-label="Events"
      onSubmit={(event) => event.preventDefault()}
    >
      {text('search', 'Text', 'in payload, prompt and reply')}
      {text('hook', 'Hook', 'any')}
      <div>
        <label for="by-status">Status</label>
        <select
          id="by-status"
          value={filters.status ?? ''}
          onChange={({ currentTarget }) => set('status', currentTarget.value)}
        >
          <option value="">any</option>
          {STATUSES.map((status) => (
            <option key={status} value={status}>
              {status}
            </option>
          ))}
        </select>
      </div>
      {time('since', 'Since')}
      {time('until', 'Until')}
      {text('session', 'Session', 'any')}
    </form>
  );
}
