import { CliError, EXIT } from '../cli-error.ts';

/** What stands for the hook token, which is never printed: a variable of the shell. */
export const TOKEN_VARIABLE = '$HOOK_TOKEN';

export interface ShownRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** For a POSIX shell, on one line; `file` holds just this body. @throws CliError for no plain text and no file */
export function curlCommand({ url, headers, body }: ShownRequest, file?: string): string {
  const parts = [
    'curl -sS -i',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    file === undefined
      ? `--data-raw ${quoted(asText(body))}`
      : `--data-binary ${quoted(`@${file}`)}`,
    quoted(url),
  ];
  return parts.join(' ');
}

function asText(body: Buffer): string {
  const text = body.toString();
  const isPlain = Buffer.from(text).equals(body) && !/[^\n\t\P{Cc}]/u.test(text);
  if (isPlain) return text;
  throw new CliError(
    'The body cannot stand in a command: it is no plain text.',
    'Name its file with --payload.',
    EXIT.usage,
  );
}

/** One word of a shell, in which {@link TOKEN_VARIABLE} alone means anything. */
function quoted(text: string): string {
  const word = `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return word.replace(TOKEN_VARIABLE, () => `'"${TOKEN_VARIABLE}"'`);
}
