import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Hooks } from './hooks.ts';
import type { HooksModuleOptions, MappingOptions } from '../../src/hooks/index.ts';

export class TransformFiles {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), 'hooks-transforms-')));

  write(name: string, text: string): this {
    const file = join(this.path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return this;
  }

  transform(text: string): this {
    return this.write('transforms/t.ts', text);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export function startWithTransform(
  files: TransformFiles,
  mapping: Partial<MappingOptions> = {},
  given: Partial<HooksModuleOptions> = {},
): Promise<Hooks> {
  return Hooks.start({
    configDir: files.path,
    mappings: [{ id: 't', transform: { module: 't.ts' }, ...mapping }],
    ...given,
  });
}
