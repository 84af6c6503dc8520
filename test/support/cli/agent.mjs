// A command-line agent for tests: the first argument says how it behaves.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

const [behaviour = 'tell', ...rest] = process.argv.slice(2);

const behaviours = {
  /** Says what it was given, as JSON. */
  async tell() {
    const input = await text(process.stdin);
    const given = { args: rest, cwd: process.cwd(), env: process.env, input };
    process.stdout.write(
      JSON.stringify({ ...given, result: JSON.stringify(given), id: 'session-1' }),
    );
  },
  /** Says how many bytes it was given. */
  async count() {
    process.stdout.write(String(Buffer.byteLength(await text(process.stdin))));
  },
  /** Says its first argument, whatever it is asked. */
  say: () => process.stdout.write(rest[0] ?? ''),
  /** Says the bytes of its first argument, which is hexadecimal. */
  bytes: () => process.stdout.write(Buffer.from(rest[0] ?? '', 'hex')),
  /** Repeats all that it was asked, and its key, in its error output, and fails. */
  async fail() {
    process.stderr.write(
      `asked: ${await text(process.stdin)}\nkey ${process.env.API_KEY}\nout of order\n`,
    );
    process.exitCode = 7;
  },
  /** Cannot continue a conversation, and answers with what it is told otherwise. */
  async forget() {
    if (rest.includes('--resume')) process.exit(1);
    process.stdout.write(JSON.stringify({ result: await text(process.stdin), id: 'session-2' }));
  },
  /** Fails with many lines. */
  complain() {
    for (let line = 0; line < 10_000; line += 1) process.stderr.write(`line ${line}\n`);
    process.exitCode = 1;
  },
  /** Says so many letters. */
  letters: () => process.stdout.write('x'.repeat(Number(rest[0]))),
  /** Dies of a signal. */
  crash: () => process.kill(process.pid, 'SIGKILL'),
  /** Says more than anybody wants to read, for ever. */
  flood() {
    const chunk = 'x'.repeat(65_536);
    const on = () => {
      while (process.stdout.write(chunk));
      process.stdout.once('drain', on);
    };
    on();
  },
  /** Reads nothing and says nothing. */
  stall: () => setInterval(() => {}, 60_000),
  /** Ignores SIGTERM, as does a child of its own, which writes both ids into the file. */
  stubborn() {
    process.on('SIGTERM', () => {});
    const child = spawn(process.execPath, [import.meta.filename, 'deaf', rest[0]]);
    setInterval(() => {}, 60_000);
    child.unref();
  },
  /** Ignores SIGTERM; writes its parent's id and its own into the file, when it was given one. */
  deaf() {
    process.on('SIGTERM', () => {});
    if (rest[0] !== undefined) writeFileSync(rest[0], `${process.ppid} ${process.pid}`);
    setInterval(() => {}, 60_000);
  },
  /** Writes into its second file which signal ended it. */
  polite() {
    process.on('SIGTERM', (signal) => {
      writeFileSync(rest[1], signal);
      process.exit(0);
    });
    writeFileSync(rest[0], String(process.pid));
    setInterval(() => {}, 60_000);
  },
  /** As `leave`, but the child is in a group of its own. */
  escape() {
    const options = { stdio: 'inherit', detached: true };
    const child = spawn(process.execPath, [import.meta.filename, 'deaf'], options);
    child.unref();
    process.stdout.write(String(child.pid), () => process.exit(0));
  },
  /** Answers and ends, but leaves a child behind that holds its output open. */
  leave() {
    const child = spawn(process.execPath, [import.meta.filename, 'deaf'], { stdio: 'inherit' });
    child.unref();
    process.stdout.write(String(child.pid), () => process.exit(0));
  },
};

await behaviours[behaviour]();
