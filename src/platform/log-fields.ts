import { inspect } from 'node:util';

/** Fields of a log line. Nest's own logger, which would draw a tree of them, gets one line of text. */
export class LogFields {
  constructor(fields: { readonly msg?: string; readonly [name: string]: unknown }) {
    Object.assign(this, fields);
  }

  [inspect.custom](): string {
    const said = Object.entries(this)
      .filter(([, value]) => value !== null && value !== undefined)
      .toSorted(([a], [b]) => Number(b === 'msg') - Number(a === 'msg'))
      .map(([name, value]) => (name === 'msg' ? String(value) : `${name}=${String(value)}`));
    return said.filter((part) => part !== '').join(' ');
  }
}
