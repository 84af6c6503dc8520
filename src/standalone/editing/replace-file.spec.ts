import { chmodSync, lstatSync, readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { replaceFile } from './replace-file.ts';

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

function at(name: string): string {
  return join(dir.path, name);
}

function modeOf(name: string): number {
  return statSync(at(name)).mode & 0o777;
}

describe('replaceFile', () => {
  it('makes a file that was not there, and leaves nothing else behind', () => {
    replaceFile(at('.env'), 'A=1\n', 0o600);
    expect(readdirSync(dir.path)).toEqual(['.env']);
    expect(modeOf('.env')).toBe(0o600);
    replaceFile(at('gateway.json5'), '{}\n');
    expect(modeOf('gateway.json5')).toBe(0o644);
  });

  it('is a new file in the place of the old one, with its permissions or stricter ones', () => {
    dir.write('gateway.json5', 'old').write('.env', 'old');
    chmodSync(at('gateway.json5'), 0o640);
    const before = statSync(at('gateway.json5')).ino;
    replaceFile(at('gateway.json5'), 'new');
    replaceFile(at('.env'), 'new', 0o600);
    expect(readFileSync(at('gateway.json5'), 'utf8')).toBe('new');
    expect(statSync(at('gateway.json5')).ino).not.toBe(before);
    expect([modeOf('gateway.json5'), modeOf('.env')]).toEqual([0o640, 0o600]);
  });

  it('follows a link and leaves it a link', () => {
    dir.write('real.json5', 'old');
    symlinkSync('real.json5', at('gateway.json5'));
    replaceFile(at('gateway.json5'), 'new');
    expect(lstatSync(at('gateway.json5')).isSymbolicLink()).toBe(true);
    expect(readFileSync(at('real.json5'), 'utf8')).toBe('new');
  });

  it('leaves no draft behind when it cannot take the place', () => {
    dir.writeTransform('x.js', '');
    expect(() => replaceFile(at('transforms'), 'new')).toThrow('EISDIR');
    expect(readdirSync(dir.path)).toEqual(['transforms']);
  });
});
