import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A configuration directory of a test's own; gone when the test disposes of it. */
export class ConfigDirectory implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'hooks-config-'));

  write(name: string, content: unknown): this {
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
    writeFileSync(join(this.path, name), text, { mode: 0o600 });
    return this;
  }

  writeTransform(name: string, code: string): this {
    mkdirSync(join(this.path, 'transforms'), { recursive: true });
    return this.write(join('transforms', name), code);
  }

  /** As many editors save: a new file that takes the place of the old one. */
  replace(name: string, content: unknown): void {
    this.write(`${name}.new`, content);
    renameSync(join(this.path, `${name}.new`), join(this.path, name));
  }

  remove(name: string): void {
    rmSync(join(this.path, name));
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
