// Makes load and says what it cost the server. By Debian's wrk (`apt-get install wrk`) where there is one: beside a server
// on the same machine it takes far less CPU than autocannon, which is what makes the load otherwise.
import autocannon from 'autocannon';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const hasWrk = spawnSync('wrk', ['-v']).error === undefined;
export const GENERATOR = hasWrk ? 'wrk' : 'autocannon';

/** Where a body has this, each request has a number of its own. */
export const NUMBER = '#number#';
/** More than any server here answers in a second; what is signed is signed before the clock runs. */
const MOST_PER_SECOND = 30_000;
const NUMBERS_PER_LOAD = 1_000_000;
let nextNumber = 1_000_000_000;

/**
 * @typedef {object} Request
 * @property {string} [path] default `/hooks/wake`.
 * @property {Record<string, string>} headers
 * @property {string} body with {@link NUMBER}: no two are alike.
 * @property {{ header: string, sign: (body: string) => string }} [signature]
 * @property {number} [status] that every answer must have; default 200.
 */

/**
 * @param {import('./server.mjs').Server} server
 * @param {Request} request
 * @param how `isQuietAtOnce`: what is done after the last answer is not counted.
 * @returns what it cost: `cpu` in µs per request over all threads, `p50` and `p99` in ms, `rate` in requests per second.
 */
export async function load(server, request, { connections, seconds, isQuietAtOnce = false }) {
  const url = `${server.url}${request.path ?? '/hooks/wake'}`;
  const first = nextNumber;
  nextNumber += NUMBERS_PER_LOAD;
  const plan = { url, request, connections, seconds, first };
  const children = server.children();
  const before = server.cpuMicros();
  const result = await (hasWrk ? byWrk(plan) : byAutocannon(plan));
  const { requests, wrong, p50, p99 } = result;
  if (wrong > 0 || requests === 0) {
    throw new Error(`${url}: ${wrong} of ${requests} answers were not ${request.status ?? 200}`);
  }
  // What is still done for them after the last answer belongs to them.
  if (!isQuietAtOnce) await quiet(server, children);
  const cpu = (server.cpuMicros() - before) / requests;
  return { requests, cpu, p50, p99, rate: requests / result.seconds };
}

/** A server that takes less than this share of a core for so long has nothing to do. */
const QUIET = { share: 0.1, ms: 200, withinMs: 60_000 };

/** @param children that it had before the load. */
async function quiet(server, children) {
  const end = performance.now() + QUIET.withinMs;
  while (performance.now() < end) {
    const before = server.cpuMicros();
    await delay(QUIET.ms);
    const isIdle = server.cpuMicros() - before <= QUIET.share * QUIET.ms * 1000;
    if (isIdle && server.children() <= children) return;
  }
}

export function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** The median of each figure of several loads. */
export function medians(loads) {
  const figures = Object.keys(loads[0]);
  return Object.fromEntries(
    figures.map((figure) => [figure, median(loads.map((it) => it[figure]))]),
  );
}

function bodyOf({ body }, number) {
  return body.replace(NUMBER, number);
}

function signaturesOf({ request, first, seconds }) {
  if (request.signature === undefined) return [];
  const count = Math.ceil(MOST_PER_SECOND * seconds);
  return Array.from({ length: count }, (_, n) =>
    request.signature.sign(bodyOf(request, first + n)),
  );
}

async function byWrk(plan) {
  const { url, request, connections, seconds } = plan;
  const dir = mkdtempSync(join(tmpdir(), 'hooks-bench-wrk-'));
  try {
    const script = join(dir, 'requests.lua');
    const signatures = join(dir, 'signatures');
    writeFileSync(signatures, signaturesOf(plan).join('\n'));
    writeFileSync(script, luaOf(plan, signatures));
    const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, url];
    const { stdout } = await promisify(execFile)('wrk', args);
    const { refused, broken, ...result } = JSON.parse(stdout.trimEnd().split('\n').at(-1));
    const isRefusal = (request.status ?? 200) >= 400;
    return { ...result, wrong: broken + (isRefusal ? result.requests - refused : refused) };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** What wrk runs. Without a number in the body, its own code sends the same bytes again and again. */
function luaOf({ request, first }, signatures) {
  const [before, after] = request.body.split(NUMBER).map((text) => JSON.stringify(text));
  const headers = Object.entries(request.headers).map(
    ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
  );
  const numbered = `
local n = ${first - 1}
local signatures = {}
for line in io.lines(${JSON.stringify(signatures)}) do signatures[#signatures + 1] = line end
function request()
  n = n + 1
  ${request.signature === undefined ? '' : `wrk.headers["${request.signature.header}"] = signatures[n - ${first} + 1] or error("not enough signatures")`}
  return wrk.format(nil, nil, nil, ${before} .. string.format("%d", n) .. ${after})
end`;
  return `
wrk.method = "POST"
${headers.join('\n')}
${after === undefined ? `wrk.body = ${before}` : numbered}
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"seconds":%f,"p50":%f,"p99":%f,"refused":%d,"broken":%d}\\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end`;
}

async function byAutocannon(plan) {
  const { url, request, connections, seconds } = plan;
  const signatures = signaturesOf(plan);
  let sent = 0;
  const setupRequest = (prepared) => {
    const body = bodyOf(request, plan.first + sent);
    const signed = request.signature && { [request.signature.header]: signatures[sent] };
    sent += 1;
    return { ...prepared, headers: { ...request.headers, ...signed }, body };
  };
  const options = { url, method: 'POST', connections, duration: seconds };
  const result = await autocannon({ ...options, requests: [{ setupRequest }] });
  const requests = result.requests.total;
  const right = result.statusCodeStats[request.status ?? 200]?.count ?? 0;
  const { p50, p99 } = result.latency;
  return { requests, seconds: result.duration, p50, p99, wrong: requests - right + result.errors };
}
