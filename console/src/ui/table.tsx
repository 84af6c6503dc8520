import {
  createColumnHelper,
  createSortedRowModel,
  rowSortingFeature,
  sortFns,
  tableFeatures,
  useTable,
} from '@tanstack/preact-table';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';

/** A column of a {@link SortedTable}. */
export interface Column<Row> {
  readonly title: string;
  /** By what its rows are sorted; null comes last. */
  readonly value: (row: Row) => string | number | null;
  /** What is shown. Absent: the value. */
  readonly cell?: (row: Row) => ComponentChildren;
  /** `number`: to the right. `wide`: takes what room there is. */
  readonly kind?: 'number' | 'wide';
}

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns,
});

/** A table of some hundred rows at most, sorted by the column that one clicks. Columns must not change between renders. */
export function SortedTable<Row extends object>({
  caption,
  rows,
  columns,
  keyOf,
}: {
  /** What the rows are, for screen readers. */
  caption: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
}) {
  const sorted = useMemo(() => tableColumns(columns), [columns]);
  const data = useMemo(() => [...rows], [rows]);
  const table = useTable({ features, columns: sorted, data, getRowId: keyOf });
  return (
    <div class="table" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map(({ id, column }) => (
                <th
                  key={id}
                  class={columns[Number(id)]!.kind}
                  scope="col"
                  aria-sort={ariaSort(column.getIsSorted())}
                >
                  <button type="button" onClick={() => column.toggleSorting()}>
                    {columns[Number(id)]!.title}
                  </button>
                </th>
              ))}
            </tr>
          ))}
        </thead>
        <tbody>
          {table.getRowModel().rows.map(({ id, original }) => (
            <tr key={id}>
              {columns.map(({ title, kind, value, cell }) => (
                <td key={title} class={kind} data-title={title}>
                  {cell === undefined ? value(original) : cell(original)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function tableColumns<Row extends object>(columns: readonly Column<Row>[]) {
  const helper = createColumnHelper<typeof features, Row>();
  return helper.columns(
    columns.map(({ title, value }, index) =>
      helper.accessor((row) => value(row) ?? undefined, {
        id: String(index),
        header: title,
        sortUndefined: 'last',
      }),
    ),
  );
}

function ariaSort(sorted: false | 'asc' | 'desc'): 'none' | 'ascending' | 'descending' {
  if (sorted === false) return 'none';
  return sorted === 'asc' ? 'ascending' : 'descending';
}
