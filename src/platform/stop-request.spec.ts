import { spawn } from 'node:child_process';
import { once } from 'node:events';

const MODULE = new URL('./stop-request.ts', import.meta.url).href;

async function processOf(code: string): Promise<{ code: number | null; output: string }> {
  const script = `import { StopRequest, endAtOnce } from ${JSON.stringify(MODULE)};\n${code}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => (output += String(chunk)));
  }
  await once(child, 'close');
  return { code: child.exitCode, output };
}

/** A thread that never comes back from a call of SQLite's; `process.exit` would wait for it. */
const THREAD = `
  import { Worker } from 'node:worker_threads';
  const thread = new Worker(\`
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const endless = new DatabaseSync(':memory:').prepare(
      'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT count(*) FROM n');
    process.getBuiltinModule('node:worker_threads').parentPort.postMessage('begun');
    endless.get();\`, { eval: true });
  await new Promise((resolve) => thread.once('message', resolve));`;

it('ends at once beside a thread that never ends, after what is to be done at the exit', async () => {
  const ended = await processOf(`${THREAD}
    process.on('exit', (code) => console.log('exit', code));
    endAtOnce(7);`);
  expect(ended).toEqual({ code: 7, output: 'exit 7\n' });
});

it('a second signal ends the process at once, with what a shell says of it', async () => {
  const ended = await processOf(`${THREAD}
    const stop = new StopRequest();
    process.kill(process.pid, 'SIGTERM');
    console.log(await stop.made, stop.isMade);
    setInterval(() => process.kill(process.pid, 'SIGINT'), 50);`);
  expect(ended).toEqual({ code: 130, output: 'SIGTERM true\n' });
});

it('the signal that npm passes on after that of the terminal is the same one', async () => {
  const ended = await processOf(`
    const stop = new StopRequest();
    for (const _ of [1, 2]) {
      process.kill(process.pid, 'SIGINT');
      await new Promise(setImmediate);
    }
    console.log(await stop.made);`);
  expect(ended).toEqual({ code: 0, output: 'SIGINT\n' });
});
