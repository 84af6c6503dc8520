import { CliError, EXIT } from './cli-error.ts';

/** Values by name, as repeated options gather them. */
export type NamedValues = Readonly<Record<string, string>>;

/** Adds what `--header 'Name: value'` says. @throws CliError */
export function withHeader(text: string, before: NamedValues = {}): NamedValues {
  const [, name = '', value = ''] =
    /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\t -~\u00a0-\u00ff]*)$/.exec(text) ?? [];
  if (name === '') throw wrong('--header', "'Name: value'");
  return { ...before, [name.toLowerCase()]: value.trim() };
}

/** Adds what `--query name=value` says. @throws CliError */
export function withParameter(text: string, before: NamedValues = {}): NamedValues {
  const at = text.indexOf('=');
  if (at < 1) throw wrong('--query', 'name=value');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/** A whole number of an option. @throws CliError when it is none, or not from `least` to `most` */
export function wholeNumber(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d{1,15}$/.test(text) && value >= least && value <= most) return value;
  throw wrong(option, `a whole number from ${least} to ${most}`);
}

/** A number of an option, over 0. @throws CliError */
export function positiveNumber(option: string, text: string): number {
  const value = Number(text);
  if (/^\d{1,9}(\.\d+)?$/.test(text) && value > 0) return value;
  throw wrong(option, 'a number over 0');
}

function wrong(option: string, form: string): CliError {
  return new CliError(`${option} must be ${form}.`, undefined, EXIT.usage);
}
