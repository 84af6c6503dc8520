// Do the tests see what they are there for? Makes one fault of mutations.json5 after the other in the sources and runs the
// files that have to see it: `node test/mutations/run.mjs [number, or a part of the name, …]`.
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import JSON5 from 'json5';

const LIMIT_MS = 5 * 60_000;
/** Of one test, in milliseconds: what a fault leaves hanging is not waited for as in other runs. */
const TEST_MS = 60_000;
const BASELINE_MS = 30 * 60_000;
/** A name of a test below which says why it failed: a file that cannot be loaded at all proves nothing. */
const FAILED = /(?<=^ *● )(?!Console$|Test suite failed to run$).+/m;
/** Faults that no test of `npm test` can see; each says why. */
const MOST_SURVIVORS = 4;

const all = JSON5.parse(readFileSync(new URL('mutations.json5', import.meta.url), 'utf8'));
const asked = process.argv.slice(2);
const rows = all
  .map((row, at) => ({ ...row, number: at + 1 }))
  .filter(
    ({ name, number }) =>
      asked.length === 0 ||
      asked.some((word) => (/^\d+$/.test(word) ? Number(word) === number : name.includes(word))),
  );

let restore = () => {};
let killJest = () => {};
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    killJest();
    restore();
    process.exit(1);
  });
}

/** @returns what Jest said, or null where it did not end in time. */
async function jest(specs, ms, ...more) {
  const args = ['node_modules/jest/bin/jest.js', '--colors=false'];
  const env = { ...process.env, HOOKS_ROUNDS: '1', HOOKS_PATIENCE: '1' };
  const options = { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env };
  const child = spawn(process.execPath, [...args, ...more, '--runTestsByPath', ...specs], options);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  // With all that the tests have started.
  killJest = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Nothing is left of it.
    }
  };
  child.once('exit', killJest);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    killJest();
  }, ms);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  return isLate ? null : { isPassed: code === 0, output };
}

/** @returns what became of a fault, and whether that is as it should be. */
async function verdictOn({ file, find, replace, specs, only, survives }) {
  const source = readFileSync(file, 'utf8');
  const count = source.split(find).length - 1;
  if (count !== 1) return [false, `what it replaces stands ${count} times in ${file}`];
  restore = () => writeFileSync(file, source);
  try {
    writeFileSync(
      file,
      source.replace(find, () => replace),
    );
    const chosen = only === undefined ? [] : ['--testNamePattern', only];
    const run = await jest(specs, LIMIT_MS, '--bail', `--testTimeout=${TEST_MS}`, ...chosen);
    if (run === null) return [survives === undefined, 'killed: the tests did not end in time'];
    if (run.isPassed) return [survives !== undefined, `survived: ${survives ?? specs.join(' ')}`];
    const failed = FAILED.exec(run.output)?.[0];
    if (failed === undefined)
      return [false, `no test failed, but the run:\n${run.output.slice(-2000)}`];
    return [survives === undefined, `killed by ${failed}`];
  } finally {
    restore();
  }
}

const files = rows.map(({ file }) => file);
const changed = execFileSync('git', ['status', '--porcelain', '--', ...files], {
  encoding: 'utf8',
});
if (changed !== '') throw new Error(`commit these first, or take them back:\n${changed}`);
if (all.filter(({ survives }) => survives).length > MOST_SURVIVORS) {
  throw new Error(`more than ${MOST_SURVIVORS} faults survive`);
}
const baseline = await jest([...new Set(rows.flatMap(({ specs }) => specs))], BASELINE_MS);
if (baseline?.isPassed !== true) {
  throw new Error(`without a fault the tests fail:\n${baseline?.output.slice(-5000)}`);
}
let passed = 0;
for (const row of rows) {
  const began = performance.now();
  const [isRight, verdict] = await verdictOn(row);
  passed += Number(isRight);
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`${isRight ? '✓' : '✕'} ${row.number} ${row.name}\n    ${verdict} (${seconds} s)`);
}
const failed = rows.length - passed;
console.log(`\nTests:       ${failed} failed, ${passed} passed, ${rows.length} total`);
process.exitCode = failed === 0 ? 0 : 1;
