import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCode } from '../../platform/errors.ts';

export const BUILT_CONSOLE = fileURLToPath(new URL('../../console/', import.meta.url));

export function hasConsole(): boolean {
  return existsSync(join(BUILT_CONSOLE, PAGE));
}

const PAGE = 'index.html';

/** What the build makes, by its endings. Nothing else is served. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** A name without folders but `assets`, and without a dot in front: no name leads anywhere else. */
const SERVED = /^(?:assets\/)?[\w-][\w.-]*$/;

/** Where `index.html` begins the addresses of its assets (`base: './'` of Vite). */
const RELATIVE = /(?<=(?:src|href)=")\.\//g;

/** One file as it is sent. */
export interface ConsoleFile {
  readonly type: string;
  readonly content: Buffer;
  /** Undefined: as it is. */
  readonly encoding: string | undefined;
  /** True: its name changes with its content. */
  readonly isForEver: boolean;
}

export class BuiltConsole {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * @param name below the console, decoded
   * @param accepted `Accept-Encoding`
   * @returns null: the build made no such file.
   */
  async file(name: string, accepted: string): Promise<ConsoleFile | null> {
    const type = TYPES[extname(name)];
    if (type === undefined || !SERVED.test(name)) return null;
    const isForEver = name.startsWith('assets/');
    for (const [encoding, ending] of ENCODINGS) {
      const content = takes(accepted, encoding) ? await this.#read(name + ending) : null;
      if (content !== null) return { type, content, encoding, isForEver };
    }
    const content = await this.#read(name);
    return content === null ? null : { type, content, encoding: undefined, isForEver };
  }

  /**
   * @param mount where the console is, e.g. `/console`; the page takes its assets from there
   * @returns null: the console was not built.
   */
  async page(mount: string): Promise<ConsoleFile | null> {
    const html = await this.#read(PAGE);
    if (html === null) return null;
    const content = Buffer.from(html.toString().replaceAll(RELATIVE, () => `${mount}/`));
    return { type: TYPES['.html']!, content, encoding: undefined, isForEver: false };
  }

  async #read(name: string): Promise<Buffer | null> {
    try {
      return await readFile(join(this.#root, name));
    } catch (error) {
      if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errorCode(error) ?? '')) return null;
      throw error;
    }
  }
}

/** Whether a browser takes an encoding: it says so, and not with a weight of nothing. */
function takes(accepted: string, encoding: string): boolean {
  return accepted.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((it) => it.trim().toLowerCase());
    return name === encoding && !parameters.some((it) => /^q=0(?:\.0*)?$/.test(it));
  });
}
