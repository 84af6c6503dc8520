// The chart of docs/benchmarks.md: CPU per accepted request of each program, a bar per number of connections.

const WIDTH = 820;
const LABELS = 230;
const FIGURES = 90;
const BAR = 13;
const GROUP_GAP = 18;
const TOP = 74;
/** A program that takes more than this many times what the service takes is cut off, and says so by its figure. */
const CUT_OFF = 4;
const OURS = 'nestjs-agent-hooks';

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-size: 16px; font-weight: 600; }
  .small { font-size: 11px; fill: #59636e; }
  .ours { font-weight: 600; }
  .axis { stroke: #d1d9e0; }
  .b0 { fill: #9ec5f4; } .b1 { fill: #3987e5; } .b2 { fill: #184f95; }
  .cut { stroke: #ffffff; stroke-width: 3; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .small { fill: #9198a1; }
    .axis { stroke: #3d444d; }
    .b0 { fill: #b7d3f6; } .b1 { fill: #5598e7; } .b2 { fill: #256abf; }
    .cut { stroke: #0d1117; }
  }`;

/** @param running programs with their medians `byConnections` and `survival`. @returns SVG. */
export function drawChart(running, connections) {
  const cpuOf = (it, count) => it.byConnections.get(count).cpu;
  const most = (it) => Math.max(...connections.map((count) => cpuOf(it, count)));
  const ours = running.find(({ program }) => program.name === OURS);
  const limit = CUT_OFF * most(ours ?? running[0]);
  const end = Math.max(...running.map(most).filter((cpu) => cpu <= limit));
  const scale = (WIDTH - LABELS - FIGURES) / end;
  const groupHeight = connections.length * BAR + GROUP_GAP;
  const height = TOP + running.length * groupHeight + 8;
  const groups = running.map((it, place) => {
    const y = TOP + place * groupHeight;
    const bars = connections.map((count, n) =>
      bar({ cpu: cpuOf(it, count), y: y + n * BAR, shade: n % 3, scale, end }),
    );
    return label(it, y + (connections.length * BAR) / 2) + bars.join('');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title">
<title id="title">CPU per accepted request in microseconds, by program and number of connections</title>
<style>${STYLE}
</style>
<text class="title" x="16" y="28">CPU per accepted request, µs (less is better)</text>
${legend(connections)}
<line class="axis" x1="${LABELS}" x2="${LABELS}" y1="${TOP - 6}" y2="${height - 14}"/>
${groups.join('\n')}
</svg>
`;
}

function legend(connections) {
  return connections
    .map((count, n) => {
      const x = LABELS + n * 130;
      const unit = count === 1 ? 'connection' : 'connections';
      return `<rect class="b${n % 3}" x="${x}" y="42" width="11" height="11" rx="2"/><text class="small" x="${x + 16}" y="52">${count} ${unit}</text>`;
    })
    .join('');
}

function label({ program, version, survival }, middle) {
  const name = `<text class="${program.name === OURS ? 'ours' : ''}" x="16" y="${middle - 2}">${program.name}</text>`;
  const share = survival && `kept after kill -9: ${percent(survival)}`;
  const below = [version, share].filter(Boolean).join(' · ');
  return `${name}<text class="small" x="16" y="${middle + 13}">${below}</text>`;
}

/** Never 0 or 100 for what is neither. */
export function percent({ accepted, kept }) {
  if (kept === 0 || kept === accepted) return `${(100 * kept) / accepted} %`;
  return `${Math.min(99.9, Math.max(0.1, (100 * kept) / accepted)).toFixed(1)} %`;
}

function bar({ cpu, y, shade, scale, end }) {
  const isCut = cpu > end;
  const length = Math.min(cpu, end) * scale;
  const x = LABELS + length;
  const rect = `<rect class="b${shade}" x="${LABELS}" y="${y}" width="${length.toFixed(1)}" height="${BAR - 2}" rx="2"/>`;
  const cut = `<line class="cut" x1="${x - 22}" y1="${y + BAR}" x2="${x - 14}" y2="${y - 2}"/>`;
  const figure = `<text class="small" x="${(x + 6).toFixed(1)}" y="${y + BAR - 3}">${figureOf(cpu)}</text>`;
  return rect + (isCut ? cut : '') + figure;
}

function figureOf(cpu) {
  return cpu < 100 ? cpu.toFixed(1) : Math.round(cpu).toLocaleString('en');
}
