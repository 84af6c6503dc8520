import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Resource } from './resource.ts';
import { useResource } from './resource.ts';

interface PageOf {
  readonly nextCursor: string | null;
}

/** Rows that come page by page: the first at once, each further one when it is asked for. */
export interface Pages<Row, Answer> extends Resource<readonly Row[]> {
  /** The first page as it was answered, for what it says besides its rows. */
  readonly head: Answer | undefined;
  /** Asks for the next page; absent: there is none. */
  readonly more?: () => void;
}

/** @param keys what the rows depend on: a change begins anew */
export function usePages<Answer extends PageOf, Row>(
  load: (cursor: string | undefined) => Promise<Answer>,
  rowsOf: (answer: Answer) => readonly Row[],
  keys: readonly unknown[],
): Pages<Row, Answer> {
  const first = useResource(() => load(undefined), keys);
  const [further, setFurther] = useState<readonly Answer[]>([]);
  const { data } = first;
  useEffect(() => setFurther([]), [data]);

  const cursor = (further.at(-1) ?? data)?.nextCursor ?? null;
  const more = useCallback(() => {
    if (cursor === null) return;
    void load(cursor).then((page) => setFurther((pages) => [...pages, page]), first.reload);
  }, [cursor]);
  const rows = data === undefined ? undefined : [data, ...further].flatMap(rowsOf);
  return { ...first, head: data, data: rows, more: cursor === null ? undefined : more };
}
