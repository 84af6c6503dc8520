import { useState } from 'preact/hooks';
import { answer, api } from '../api/client.ts';
import type { Api } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import { Empty, Loaded, Page } from '../ui/page.tsx';
import type { Column } from '../ui/table.tsx';
import { SortedTable } from '../ui/table.tsx';
import { Chart } from './now/chart.tsx';
import './now/now.css';

type Line = Api<'UsageLine'>;

const BY = ['agent', 'hook', 'model', 'sender'] as const;
const DAYS = 30;
const DAY_MS = 86_400_000;
const EVERY_MS = 60_000;
const DOLLARS = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD' });

/** What agents have used: tokens of each day, and by whom. */
export default function Usage() {
  const [by, setBy] = useState<(typeof BY)[number]>('agent');
  const days = useUsage('day');
  const lines = useUsage(by);
  return (
    <Page
      title="Usage"
      actions={BY.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === by}
          class={each === by ? 'primary' : undefined}
          onClick={() => setBy(each)}
        >
          By {each}
        </button>
      ))}
    >
      <Loaded from={days}>{({ usage }) => <Tokens lines={usage} />}</Loaded>
      <Loaded from={lines}>
        {({ usage }) =>
          usage.length === 0 ? (
            <Empty>No agent was asked in these {DAYS} days.</Empty>
          ) : (
            <SortedTable
              caption={`What was used in ${DAYS} days`}
              rows={usage}
              columns={COLUMNS}
              keyOf={({ name, kind }) => `${kind} ${name}`}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

function useUsage(by: 'day' | (typeof BY)[number]) {
  const query = { by, days: DAYS } as const;
  return useResource(
    () => answer(api.GET('/ops/api/usage', { params: { query } })),
    [by],
    EVERY_MS,
  );
}

/** Of each day in UTC; days on which nothing was used are in no line. */
function Tokens({ lines }: { lines: readonly Line[] }) {
  const today = Math.floor(Date.now() / DAY_MS);
  const days = Array.from({ length: DAYS }, (_, index) => today - DAYS + 1 + index);
  const of = (kind: Line['kind']) => {
    const tokens = new Map(
      lines
        .filter((line) => line.kind === kind)
        .map((line) => [Date.parse(line.name) / DAY_MS, line.inputTokens + line.outputTokens]),
    );
    return days.map((day) => tokens.get(day) ?? 0);
  };
  return (
    <div class="cards charts">
      <Chart
        title="Tokens"
        window="month"
        times={days.map((day) => (day * DAY_MS) / 1000)}
        series={[
          { name: 'of runs', counts: of('run'), tone: 'good' },
          { name: 'of heartbeats', counts: of('heartbeat'), tone: 'busy' },
        ]}
      />
    </div>
  );
}

const COLUMNS: readonly Column<Line>[] = [
  {
    title: 'Whose',
    kind: 'wide',
    value: ({ name }) => name,
    cell: ({ name, kind }) => (
      <>
        {name === '' ? <span class="faint">nobody</span> : name}{' '}
        {kind === 'heartbeat' && <span class="faint">heartbeats</span>}
      </>
    ),
  },
  {
    title: 'Turns',
    kind: 'number',
    value: ({ turns }) => turns,
    cell: ({ turns }) => turns.toLocaleString(),
  },
  tokens('Tokens read', ({ inputTokens }) => inputTokens),
  tokens('Tokens written', ({ outputTokens }) => outputTokens),
  {
    title: 'Cost',
    kind: 'number',
    value: ({ cost }) => cost,
    cell: ({ cost, turns, unpriced, uncounted }) =>
      known(DOLLARS.format(cost), unpriced, turns, uncounted === turns ? 'unknown' : 'no price'),
  },
];

function tokens(title: string, value: (line: Line) => number): Column<Line> {
  const cell = (line: Line) => known(value(line).toLocaleString(), line.uncounted, line.turns);
  return { title, kind: 'number', value, cell };
}

/** What nobody counted, or what has no price, is not nothing. */
function known(sum: string, unknown: number, turns: number, nothing = 'unknown') {
  if (unknown === turns) return <span class="faint">{nothing}</span>;
  return unknown === 0 ? sum : `${sum}, and unknown of ${unknown.toLocaleString()} turns`;
}
