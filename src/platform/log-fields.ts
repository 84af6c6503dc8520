import { inspect } from 'node:util';

/** Fields of a log line. Nest's own logger, which would draw a tree of them, gets one line of text. */
export class LogFields {
  constructor(fields: { readonly msg?: string; readonly [name: string]: unknown }) {
    Object.assign(this, fields);
  }

  [inspect.custom](): string {
    const { msg, ...others } = { msg: '', ...this };
    const said = Object.entries(others)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => `${name}=${String(value)}`);
    return [msg, ...said].filter((part) => part !== '').join(' ');
  }
}
