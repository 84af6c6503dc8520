import { fillIn } from './sender.ts';

/** What the setup lines of a preset are filled with. */
export interface SetupPlace {
  /** Address of the hook, as its sender reaches it. */
  readonly url: string;
  /** That both sides know; absent: it is not to be shown, or the sender makes it. */
  readonly secret?: string | undefined;
  /** Absent: it has none, or one that is kept nowhere. */
  readonly token?: string | undefined;
}

/** Stand for what is not shown. */
const UNKNOWN = { secret: '<its secret>', token: '<its token>' };

/** What a person does at the sender, a step each. */
export function setupSteps(
  lines: readonly string[],
  { url, secret = UNKNOWN.secret, token = UNKNOWN.token }: SetupPlace,
): string[] {
  const secretUrl = url.replace('://', () => `://${secret}@`);
  return lines.map((line) => fillIn(line, { url, secretUrl, secret, token }));
}
