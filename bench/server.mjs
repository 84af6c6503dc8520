// Starts servers as processes of their own and reads what they cost from /proc.
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const TICKS_PER_SECOND = 100;

export class Server {
  constructor(child, url, outputDir) {
    Object.assign(this, { child, url, outputDir });
  }

  /** Starts `script` and waits until a line of its output names the port it listens on. */
  static async start(name, script, { cwd, env = {} } = {}) {
    // Into a file: a pipe would make this process, which also makes the load, read every line of the log.
    const outputDir = mkdtempSync(join(tmpdir(), 'hooks-bench-output-'));
    const output = join(outputDir, name);
    const child = spawn(process.execPath, [script], {
      cwd,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', openSync(output, 'w'), 'inherit'],
    });
    const port = await portOf(name, child, output);
    return new Server(child, `http://127.0.0.1:${port}`, outputDir);
  }

  /** CPU time of all threads so far, in microseconds. */
  cpuMicros() {
    const stat = readFileSync(`/proc/${this.child.pid}/stat`, 'utf8');
    const [utime, stime] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    return ((Number(utime) + Number(stime)) * 1_000_000) / TICKS_PER_SECOND;
  }

  async stop() {
    this.child.kill('SIGKILL');
    await new Promise((resolve) => this.child.once('exit', resolve));
    rmSync(this.outputDir, { recursive: true });
  }
}

async function portOf(name, child, output) {
  for (;;) {
    const text = readFileSync(output, 'utf8');
    const port = /(?:127\.0\.0\.1:|listening on )(\d+)/.exec(text)?.[1];
    if (port !== undefined) return Number(port);
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${text}`);
    await delay(2);
  }
}
