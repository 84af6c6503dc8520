import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from './client.ts';
import { away } from './session.ts';

/** Something that is loaded when a view is opened, and again when it is asked to. */
export interface Resource<T> {
  /** The latest answer; it stays while another is awaited, and when that one fails. */
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/**
 * Loads now, whenever one of the keys changes, and every so often while the page is looked at.
 * @param keys what the answer depends on: a change forgets the answer before
 * @param everyMs how long an answer is good for; 0: until somebody reloads
 */
export function useResource<T>(
  load: () => Promise<T>,
  keys: readonly unknown[],
  everyMs = 0,
): Resource<T> {
  const [state, setState] = useState<{ data?: T; error?: ApiError; key?: string }>({});
  const [isLoading, setLoading] = useState(true);
  const latest = useRef(0);
  const key = JSON.stringify(keys);
  const current = useRef(load);
  current.current = load;

  const reload = useCallback(() => {
    const call = ++latest.current;
    // Of two answers the one that was asked for last counts, whichever comes first.
    const settle = (settled: { data?: T; error?: ApiError }) => {
      if (call !== latest.current) return;
      setState((before) => ({
        ...(before.key === key ? before : {}),
        error: undefined,
        ...settled,
        key,
      }));
      setLoading(false);
    };
    setLoading(true);
    current.current().then(
      (data) => settle({ data }),
      (error: unknown) => settle({ error: asApiError(error) }),
    );
  }, [key]);

  const isAway = away.value;
  useEffect(() => {
    if (isAway) return undefined;
    reload();
    if (everyMs === 0) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [reload, everyMs, isAway]);

  const isOurs = state.key === key;
  return {
    data: isOurs ? state.data : undefined,
    error: isOurs ? state.error : undefined,
    isLoading,
    reload,
  };
}

export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError
    ? error
    : new ApiError(error instanceof Error ? error.message : String(error), 'unknown', 0);
}
