import {
  Virtualizer,
  observeWindowOffset,
  observeWindowRect,
  windowScroll,
} from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';

/**
 * A list of any length, of which only what one sees is in the page, and which scrolls with it. Its rows are all of one
 * height.
 */
export function VirtualList<Row>({
  label,
  rows,
  rowHeight,
  keyOf,
  onEnd,
  children,
}: {
  label: string;
  rows: readonly Row[];
  /** In pixels. */
  rowHeight: number;
  keyOf: (row: Row) => string;
  /** The end has come into sight. */
  onEnd?: () => void;
  children: (row: Row) => ComponentChildren;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const [, render] = useReducer((count: number) => count + 1, 0);
  const top = frame.current?.offsetTop ?? 0;
  const options = {
    count: rows.length,
    getScrollElement: () => window,
    estimateSize: () => rowHeight,
    getItemKey: (index: number) => keyOf(rows[index]!),
    overscan: 12,
    scrollMargin: top,
    scrollToFn: windowScroll,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    onChange: () => render(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<Window, HTMLDivElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => {
    virtualizer._willUpdate();
    // What stands above the list has grown or shrunk.
    if (frame.current!.offsetTop !== top) render(undefined);
  });

  const items = virtualizer.getVirtualItems();
  const isAtEnd = (items.at(-1)?.index ?? -1) >= rows.length - 1;
  useLayoutEffect(() => {
    if (isAtEnd && rows.length > 0) onEnd?.();
  }, [isAtEnd, rows.length]);

  return (
    <div class="rows" ref={frame} role="region" aria-label={label}>
      <div role="list" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {items.map(({ key, index, start }) => (
          <div
            key={key}
            role="listitem"
            class="list-row"
            aria-setsize={rows.length}
            aria-posinset={index + 1}
            style={{ height: `${rowHeight}px`, transform: `translateY(${start - top}px)` }}
          >
            {children(rows[index]!)}
          </div>
        ))}
      </div>
    </div>
  );
}
