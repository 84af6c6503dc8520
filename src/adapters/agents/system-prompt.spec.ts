import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemPrompt } from './model.ts';

let dir: string;
let workspace: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hooks-prompt-'));
  workspace = join(dir, 'workspace');
  await mkdir(workspace);
});

afterEach(() => rm(dir, { recursive: true }));

function promptOf(given: { workspace?: string; instructions?: string }) {
  return systemPrompt({ id: 'main', timeoutSeconds: 600, ...given });
}

async function warningOf(): Promise<string | undefined> {
  const { text, warnings } = await promptOf({ workspace, instructions: 'Be brief.' });
  expect(text).toBe('Be brief.');
  return warnings[0];
}

describe('systemPrompt', () => {
  it('is AGENTS.md and then the instructions', async () => {
    await writeFile(join(workspace, 'AGENTS.md'), '# Who you are\n');
    expect(await promptOf({ workspace, instructions: 'Be brief.' })).toEqual({
      text: '# Who you are\n\nBe brief.',
      warnings: [],
    });
  });

  it.each([{}, { workspace: '/no/such/place' }, { instructions: ' ' }])(
    'is empty when there is nothing: %j',
    async (given) => {
      expect(await promptOf(given)).toEqual({ text: '', warnings: [] });
    },
  );

  it('is the instructions alone when the workspace has no AGENTS.md', async () => {
    expect(await warningOf()).toBeUndefined();
  });

  it('reads the file anew each time', async () => {
    await writeFile(join(workspace, 'AGENTS.md'), 'one');
    expect((await promptOf({ workspace })).text).toBe('one');
    await writeFile(join(workspace, 'AGENTS.md'), 'two');
    expect((await promptOf({ workspace })).text).toBe('two');
  });

  it('takes exactly 64 KB as they are', async () => {
    await writeFile(join(workspace, 'AGENTS.md'), 'x'.repeat(65_536));
    const { text, warnings } = await promptOf({ workspace });
    expect([text.length, warnings]).toEqual([65_536, []]);
  });

  it('cuts after 64 KB, never in a character, and says so', async () => {
    await writeFile(join(workspace, 'AGENTS.md'), `x${'é'.repeat(40_000)}`);
    const { text, warnings } = await promptOf({ workspace });
    expect(text).toBe(`x${'é'.repeat(32_767)}`);
    expect(warnings).toEqual([
      'AGENTS.md is longer than 64 KB: the model was shown the first 64 KB.',
    ]);
  });

  it('leaves out a file that leads out of the workspace', async () => {
    await writeFile(join(dir, 'workspace-evil'), 'outside');
    await symlink(join(dir, 'workspace-evil'), join(workspace, 'AGENTS.md'));
    expect(await warningOf()).toContain('it leads out of the workspace');
  });

  it('follows a link inside the workspace, and a workspace that is a link', async () => {
    await writeFile(join(workspace, 'who.md'), 'inside');
    await symlink('who.md', join(workspace, 'AGENTS.md'));
    await symlink(workspace, join(dir, 'link'));
    expect((await promptOf({ workspace: join(dir, 'link') })).text).toBe('inside');
  });

  it('leaves out a directory', async () => {
    await mkdir(join(workspace, 'AGENTS.md'));
    expect(await warningOf()).toContain('it is not a file');
  });

  it('leaves out a named pipe without waiting for a writer', async () => {
    execFileSync('mkfifo', [join(workspace, 'AGENTS.md')]);
    expect(await warningOf()).toContain('it is not a file');
  });
});
