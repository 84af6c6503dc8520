import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { theme } from '../../theme.ts';

const HEIGHT = 150;
const WHOLE_NUMBERS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000, 1_000_000, 10_000_000,
  100_000_000,
];

/** One line of a chart, by its meaning. */
export interface Series {
  readonly name: string;
  readonly counts: readonly number[];
  readonly tone: 'good' | 'bad' | 'busy';
}

interface ChartProps {
  readonly title: string;
  readonly window: 'hour' | 'month';
  /** When each step begins, in seconds. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
}

/** What was counted over time: drawn, said in one sentence, and as a table for whoever asks. */
export function Chart({ title, window, times, series }: ChartProps) {
  const [pointed, point] = useState<number | null>(null);
  const said = series.map(({ name, counts }) => `${sum(counts).toLocaleString()} ${name}`);
  const at = pointed === null ? undefined : times[pointed];
  return (
    <article class="card" aria-label={title}>
      <div class="page-head">
        <h2>{title}</h2>
        <ul class="legend">
          {series.map(({ name, tone }, index) => (
            <li key={name} class={tone}>
              {said[index]}
            </li>
          ))}
        </ul>
      </div>
      <Drawing
        label={`${title} of the last ${window}: ${said.join(', ')}.`}
        window={window}
        times={times}
        series={series}
        point={point}
      />
      <p class="pointed faint">
        {at === undefined
          ? `last ${window}`
          : `${NAMES[window].format(at * 1000)}: ${series.map(({ name, counts }) => `${counts[pointed!]!.toLocaleString()} ${name}`).join(', ')}`}
      </p>
      <Figures title={title} window={window} times={times} series={series} />
    </article>
  );
}

function Drawing(props: {
  label: string;
  window: ChartProps['window'];
  times: readonly number[];
  series: readonly Series[];
  point: (step: number | null) => void;
}) {
  const { label, window, times, series, point } = props;
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const data: uPlot.AlignedData = [[...times], ...series.map(({ counts }) => [...counts])];
  const latest = useRef(data);
  latest.current = data;
  useEffect(() => {
    const element = place.current!;
    const drawn = new uPlot(
      optionsFor(element, { window, series, point }),
      latest.current,
      element,
    );
    chart.current = drawn;
    const watch = new ResizeObserver(() =>
      drawn.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    watch.observe(element);
    return () => {
      chart.current = null;
      watch.disconnect();
      drawn.destroy();
    };
  }, [theme.value, window]);
  useEffect(() => chart.current?.setData(latest.current), [JSON.stringify(data)]);
  return <div ref={place} class="drawing" role="img" aria-label={label} />;
}

function optionsFor(
  element: HTMLElement,
  {
    window,
    series,
    point,
  }: Pick<ChartProps, 'window' | 'series'> & { point: (step: number | null) => void },
): uPlot.Options {
  const named = (seconds: number) => NAMES[window].format(seconds * 1000);
  // A canvas knows neither variables nor light-dark(): the element works them out.
  const color = (name: string) => {
    element.style.color = `var(--${name})`;
    const { color: known } = getComputedStyle(element);
    element.style.color = '';
    return known;
  };
  const axis = {
    stroke: color('faint'),
    grid: { stroke: color('line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: (_chart, _least, most) => [0, Math.max(1, most)] } },
    axes: [
      { ...axis, size: 28, values: (_chart, at) => at.map((seconds) => named(seconds)) },
      {
        ...axis,
        incrs: WHOLE_NUMBERS,
        size: 52,
        values: (_chart, at) => at.map((count) => SHORT.format(count)),
      },
    ],
    series: [
      {},
      ...series.map(({ name, tone }, index) => ({
        label: name,
        stroke: color(tone),
        fill: color(`${tone}-soft`),
        width: 2,
        // Told apart without its colour, too.
        ...(index > 0 && { dash: [4, 3] }),
        paths: uPlot.paths.stepped!({ align: 1 }),
        points: { show: false },
      })),
    ],
    hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? null)] },
  };
}

/** The same numbers to read; steps in which nothing happened are left out. */
function Figures({ title, window, times, series }: ChartProps) {
  const [isOpen, open] = useState(false);
  const steps = times
    .map((_, step) => step)
    .filter((step) => series.some((one) => one.counts[step]! > 0));
  return (
    <details onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>Figures</summary>
      {isOpen && (
        <div class="table" tabIndex={0} role="region" aria-label={`${title}, figures`}>
          <table>
            <thead>
              <tr>
                <th scope="col">From</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {steps.toReversed().map((step) => (
                <tr key={step}>
                  <th scope="row">{NAMES[window].format(times[step]! * 1000)}</th>
                  {series.map(({ name, counts }) => (
                    <td key={name} class="number" data-title={name}>
                      {counts[step]!.toLocaleString()}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          {steps.length === 0 && <p>Nothing happened.</p>}
        </div>
      )}
    </details>
  );
}

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
/** A step of a month is a day in UTC. */
const DATE = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
});
const NAMES = { hour: CLOCK, month: DATE };
const SHORT = new Intl.NumberFormat(undefined, { notation: 'compact' });

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
