import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../test/support/eventually.ts';
import { isGone } from '../../../test/support/process-state.ts';
import { SetupGuide } from './setup-guide.ts';

/*
 * A guide with small programs in place of the command, which is behind it in ops-setup.e2e-spec.ts.
 */

const QUESTION = {
  kind: 'password',
  message: 'The key',
  choices: [],
  initial: null,
  problem: null,
};

/** Says its process id, asks, and quotes what it is told. */
const ASKING = `
  const say = (line) => process.stdout.write(JSON.stringify(line) + '\\n');
  say({ said: String(process.pid), isResult: true });
  say({ asked: ${JSON.stringify(QUESTION)} });
  process.stdin.on('data', (text) => {
    say({ said: 'it was ' + JSON.parse(text).answer, isResult: false });
    process.exit(3);
  }).on('end', () => process.exit(130));
`;

describe('SetupGuide', () => {
  let dir: string;
  let guide: SetupGuide | undefined;
  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'hooks-guide-'))));
  afterEach(async () => {
    await guide?.end();
    rmSync(dir, { recursive: true });
  });

  function running(program: string, patienceMs?: number): SetupGuide {
    const command = join(dir, 'command.cjs');
    writeFileSync(command, program);
    guide = new SetupGuide({
      dir,
      env: {},
      command,
      ...(patienceMs !== undefined && { patienceMs }),
    });
    return guide;
  }

  it('shows no secret that was typed, though the command quotes it', async () => {
    const conversation = running(ASKING).begin('ana');
    await eventually('it asks', () => conversation.question ?? undefined);
    conversation.answer('tell nobody');
    await eventually('it ends', () => conversation.ending ?? undefined);
    expect(conversation).toMatchObject({ by: 'ana', ending: 'failed', question: null });
    expect(conversation.entries.slice(1)).toEqual([
      { kind: 'question', text: 'The key' },
      { kind: 'answer', text: '***' },
      { kind: 'note', text: 'it was ***' },
    ]);
  });

  it('ends what nobody looks at, and forgets it', async () => {
    const conversation = running(ASKING, 300).begin('ana');
    const pid = await eventually('it runs', () => conversation.entries[0]?.text);
    await eventually('it is forgotten', () => guide?.current === undefined || undefined);
    await eventually('its process has ended', () => isGone(Number(pid)) || undefined);
    expect(conversation.question).toBeNull();
  });

  it('asks nothing once it is ended, whatever the command still says', async () => {
    const conversation = running(`
      const say = (line) => process.stdout.write(JSON.stringify(line) + '\\n');
      say({ said: String(process.pid), isResult: false });
      process.stdin.resume().on('end', () => {
        say({ asked: ${JSON.stringify(QUESTION)} });
        say({ said: 'late', isResult: false });
      });
      setInterval(() => {}, 1000);
    `).begin('ana');
    const pid = await eventually('it runs', () => conversation.entries[0]?.text);
    const ended = guide?.end();
    await eventually('it is heard', () => conversation.entries.length === 2 || undefined);
    expect(conversation).toMatchObject({ question: null, ending: null });
    process.kill(Number(pid));
    await ended;
  });

  it('takes what is no line of the command for a note, of bounded length and number', async () => {
    const conversation = running(
      `console.log('npm says so'); console.error('and so'); console.log('x'.repeat(20_000));
       console.log('[]\\n'.repeat(1200));`,
    ).begin('ana');
    await eventually('it ends', () => conversation.ending ?? undefined);
    expect(conversation.ending).toBe('done');
    expect(conversation.entries).toHaveLength(1000);
    expect(conversation.entries.every(({ kind }) => kind === 'note')).toBe(true);
    const longest = Math.max(...conversation.entries.map(({ text }) => text.length));
    expect(longest).toBeLessThan(10_100);
  });

  it('says so where the command cannot be begun', async () => {
    const conversation = running(ASKING).begin('ana');
    await guide?.end();
    rmSync(join(dir, 'command.cjs'));
    const next = guide?.begin('ana');
    await eventually('it ends', () => next?.ending ?? undefined);
    expect(next?.entries.map(({ text }) => text).join('\n')).toContain('Cannot find module');
    expect(conversation.id).not.toBe(next?.id);
  });
});
