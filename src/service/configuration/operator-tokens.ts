import {
  SHORTEST_GOOD_TOKEN,
  SHORTEST_TOKEN,
  shortToken,
  tokenDigest,
  writtenTokens,
} from '../../hooks/index.ts';
import type { HooksSettingsInput, Problem } from '../../hooks/index.ts';
import type { GatewayOptions, OpsOptions } from './sections.ts';
import type { TokenFile } from './token-file.ts';

// The tokens of the operator API: `gateway.auth.token` or the generated one for all of it, `ops.metricsToken` for its
// metrics alone.

/** What opens the operator API. */
export interface OperatorTokens {
  /** All of it. */
  readonly operator: string;
  /** Its metrics alone; undefined: there is no such token. */
  readonly metrics: string | undefined;
}

const OPERATOR = 'gateway.auth.token';
const METRICS = 'ops.metricsToken';

/** What headers carry as it is. */
const PRINTABLE = /^[ -~]*$/;

/** What makes a start refused: a token that can be guessed, that no header carries, or that opens more than it says. */
export function operatorTokenProblems(
  { auth }: GatewayOptions,
  { metricsToken }: OpsOptions,
  file: TokenFile,
  hooks: Pick<HooksSettingsInput, 'token' | 'tokens'>,
): Problem[] {
  const given = textOf(auth?.token);
  const operator = given ?? file.read();
  const metrics = textOf(metricsToken);
  const problems = [
    ...(given === undefined ? [] : mistakes(OPERATOR, given)),
    ...(given !== undefined || operator === undefined
      ? []
      : mistakes(OPERATOR, operator).map(({ key, message }) => ({
          key,
          message: `is kept in ${file.path}, whose token ${message}; remove that file for a new one`,
        }))),
    ...(metrics === undefined ? [] : mistakes(METRICS, metrics)),
  ];
  if (metrics !== undefined && (metrics === operator || isOfSender(metrics, hooks))) {
    const message =
      "must be neither the operator's token nor one of the hooks; set a dedicated one";
    problems.push({ key: METRICS, message });
  }
  return problems;
}

/** Tokens that are allowed but should be longer. */
export function operatorTokenWarnings(
  { auth }: GatewayOptions,
  { metricsToken }: OpsOptions,
): Problem[] {
  const message = `is shorter than ${SHORTEST_GOOD_TOKEN} characters; use a longer random string`;
  return [
    [OPERATOR, textOf(auth?.token)] as const,
    [METRICS, textOf(metricsToken)] as const,
  ].flatMap(([key, token]) =>
    token !== undefined && token.length < SHORTEST_GOOD_TOKEN ? [{ key, message }] : [],
  );
}

/** Whether it opens a hook, written out there or as its digest. */
function isOfSender(token: string, hooks: Parameters<typeof writtenTokens>[0]): boolean {
  const digest = tokenDigest(token);
  return writtenTokens(hooks).some(({ text }) => tokenDigest(text).equals(digest));
}

function mistakes(key: string, token: string): Problem[] {
  if (!PRINTABLE.test(token)) {
    return [
      { key, message: 'holds characters outside of ASCII, which no header carries; use others' },
    ];
  }
  return token.length < SHORTEST_TOKEN ? [{ key, message: shortToken(token) }] : [];
}

/** Undefined for a blank one and for what is no text: their own rules tell. */
function textOf(token: unknown): string | undefined {
  const text = typeof token === 'string' ? token.trim() : '';
  return text === '' ? undefined : text;
}
