import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { OptionalSection, OptionalText, Section } from '../options/index.ts';
import type { Problem } from '../options/index.ts';
import {
  IsAnswerFields,
  IsAnswerHeaders,
  IsAnswerText,
  IsPlace,
  IsTextOrNumber,
  partsOf,
} from './row-rules.ts';

// Answers hold what the row says literally and what the request itself brought; nothing of the gateway's own, but for
// an HMAC that only a verified sender gets.

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST'] as const;

class QuestionRules {
  @IsIn(METHODS)
  readonly method!: (typeof METHODS)[number];

  /** What has to be there: a header, a parameter of the query, or a field of the JSON body by its path (`0.a.b`). */
  @IsOptional()
  @IsPlace('header', 'query', 'field')
  readonly at?: QuestionPlace;

  /** What stands there. Absent: anything. */
  @IsOptional()
  @IsTextOrNumber()
  readonly is?: string | number;

  /** The field that an event has and the question has not. */
  @OptionalText()
  readonly unless?: string;

  /** The parameter of the query that has to hold the operator's `verify.verifyToken`; without one, nothing is answered. */
  @OptionalText()
  readonly verifyToken?: string;
}

export type QuestionPlace =
  { readonly header: string } | { readonly query: string } | { readonly field: string };

class AnswerHmacRules {
  @IsPlace('field')
  readonly of!: { readonly field: string };

  @IsIn(['sha1', 'sha256', 'sha512'])
  readonly hash!: 'sha1' | 'sha256' | 'sha512';

  @IsIn(['hex', 'base64', 'base64url'])
  readonly encoding!: 'hex' | 'base64' | 'base64url';
}

/** Templates: text and `{query:a}` (absent: empty), `{field:a.b}` (has to be a text), `{hmac}`, `{header:a}`. */
class AnswerRules {
  @Max(299)
  @Min(200)
  @IsInt()
  readonly status!: number;

  /** As `text/plain`, which no browser takes for a page. */
  @IsOptional()
  @IsAnswerText()
  readonly text?: string;

  /** As a JSON object. */
  @IsOptional()
  @IsAnswerFields()
  readonly json?: Readonly<Record<string, string | number | boolean>>;

  @IsOptional()
  @IsAnswerHeaders()
  readonly headers?: Readonly<Record<string, string>>;

  @OptionalSection(AnswerHmacRules)
  readonly hmac?: Row<AnswerHmacRules>;
}

type Row<T> = { readonly [K in keyof T]: T[K] };

const ASKERS = ['anybody', 'verified', 'awaited'] as const;

export class HandshakeRules {
  @Section(QuestionRules)
  readonly when!: Row<QuestionRules>;

  /**
   * `anybody`: by the head alone, unproven; `verified`; `awaited`: who brings the secret while an operator waits for
   * it.
   */
  @IsIn(ASKERS)
  readonly from!: (typeof ASKERS)[number];

  @Section(AnswerRules)
  readonly answer!: Row<AnswerRules>;
}
export type Handshake = Row<HandshakeRules>;

/** Headers that a proxy or the sender's own credentials bring: none that a question is asked with. */
const NO_QUESTION =
  /^(?:authorization|cookie|forwarded|proxy-.*|x-forwarded-.*|x-real-ip|x-gateway-token)$/;

/** What does not go together in one row. @param scheme `key` of the row in it, and whether it has proofs */
export function contradictionsOf(
  handshake: Handshake,
  { key, signs }: { readonly key: string; readonly signs: boolean },
): Problem[] {
  const { when, from, answer } = handshake;
  const parts = Object.values({ text: answer.text, ...answer.json, ...answer.headers }).flatMap(
    (value) => (typeof value === 'string' ? partsOf(value) : []),
  );
  const header = when.at !== undefined && 'header' in when.at ? when.at.header : undefined;
  const readsBody =
    parts.some((part) => part.startsWith('field:')) ||
    answer.hmac !== undefined ||
    when.unless !== undefined ||
    (when.at !== undefined && 'field' in when.at);
  const isTold = when.is !== undefined || when.unless !== undefined;
  const faults: readonly (readonly [boolean, string, string])[] = [
    [
      from !== 'anybody' && when.method !== 'POST',
      'when.method',
      `must be POST, since nothing else is ${from}`,
    ],
    [
      when.method === 'POST' && when.at === undefined,
      'when.at',
      'is missing; say what tells the question from an event',
    ],
    [
      when.at === undefined && isTold && when.method !== 'POST',
      'when.at',
      'is missing; say what is compared',
    ],
    [
      from === 'anybody' && readsBody,
      'from',
      'must be verified, since a body is not read before its sender is',
    ],
    [
      from !== 'anybody' && when.verifyToken !== undefined,
      'when.verifyToken',
      'has no meaning where the sender proves itself; remove it',
    ],
    [
      !signs && (when.verifyToken !== undefined || answer.hmac !== undefined),
      'when',
      'and answer have no secret of a sender that signs nothing',
    ],
    [
      from === 'awaited' && (isTold || parts.some((part) => part !== `header:${header}`)),
      'answer',
      'can say no more than the header that brings the secret, and when no more than where it is',
    ],
    [
      from === 'awaited' && when.at !== undefined && 'query' in when.at,
      'when.at',
      'must be a header or a field: a secret in an address is in logs',
    ],
    [
      header !== undefined && NO_QUESTION.test(header),
      'when.at',
      'names a header of credentials or proxies, which asks nothing',
    ],
    [
      parts.some((part) => part.startsWith('header:') && part !== `header:${header}`),
      'answer',
      'can repeat no header but that of when.at',
    ],
    [
      parts.includes('hmac') !== (answer.hmac !== undefined),
      'answer.hmac',
      'and {hmac} in the answer belong together',
    ],
    [
      answer.text !== undefined && answer.json !== undefined,
      'answer',
      'must be text or json, not both',
    ],
    [
      answer.status === 204 && (answer.text !== undefined || answer.json !== undefined),
      'answer.status',
      'says that there is no body; use 200',
    ],
  ];
  return faults.flatMap(([isWrong, name, message]) =>
    isWrong ? [{ key: `${key}.${name}`, message }] : [],
  );
}
