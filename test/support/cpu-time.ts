/** Four times as much takes linear work 4 times as long and quadratic work 16 times: this stands between them. */
export const QUADRATIC = 8;

/** Clocks of processor time tick every 10 ms at worst; quadratic work of the sizes that are asked about takes longer. */
const NOTICEABLE_MS = 100;
/** What nobody takes for quadratic needs no second round. */
const LINEAR = 5;
const ROUNDS = 5;
const ENOUGH_MS = 5000;

/**
 * How many times as long `most` takes as a quarter of it, best of a few rounds; 1 where even `most` takes no noticeable
 * time. A slow or busy machine is as slow for both: `expect(growth(work, 100_000)).toBeLessThan(QUADRATIC)`.
 */
export function growth(work: (size: number) => void, most: number): number {
  let whole = Infinity;
  let quarter = Infinity;
  let grown = Infinity;
  let spent = 0;
  for (let round = 0; round < ROUNDS && spent < ENOUGH_MS && grown > LINEAR; round += 1) {
    const took = cpuMilliseconds(() => work(most));
    spent += took;
    whole = Math.min(whole, took);
    if (whole < NOTICEABLE_MS) return 1;
    quarter = Math.min(
      quarter,
      cpuMilliseconds(() => work(most / 4)),
    );
    grown = whole / Math.max(quarter, NOTICEABLE_MS / 16);
  }
  return grown;
}

/** As {@link cpuMillisecondsOf}, of work that is over when it returns. */
function cpuMilliseconds(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  return millisecondsSince(before);
}

/**
 * What a piece of work costs this thread: other work on the machine does not count, but slows this down, too. It is to
 * be compared with the cost of something else beside it, never with a number.
 */
export async function cpuMillisecondsOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  return millisecondsSince(before);
}

/** As {@link cpuMillisecondsOf}, of all threads of this process. */
export async function processMillisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function millisecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
