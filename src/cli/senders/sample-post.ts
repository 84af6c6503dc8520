import { randomBytes, randomUUID } from 'node:crypto';
import { bodyOf } from '../../hooks/index.ts';
import type { Preset, Sample } from '../../hooks/index.ts';
import { senderPath } from '../../service/index.ts';
import type { HookPost } from '../service/service-client.ts';
import { signPost } from './signed-post.ts';
import type { Signing } from './signed-post.ts';

/** What a sample is sent with. */
export interface SampleSending extends Signing {
  /** Undefined: a new one, so that the sample is an event of its own. */
  readonly idempotencyKey: string | undefined;
}

/**
 * A vendor's sample as that vendor would send it today. Without a key it is a delivery of its own each time, although
 * everything in it stays as it was published.
 * @throws CliError where nobody but the sender can sign, or the secret would leave the machine
 */
export function samplePost(
  preset: Preset,
  sample: Sample,
  { idempotencyKey, ...signing }: SampleSending,
): HookPost {
  const text = bodyOf(sample);
  const post = {
    name: senderPath(preset, signing.settings.hooks),
    headers: { ...sample.headers, 'idempotency-key': idempotencyKey ?? randomUUID() },
    query: {},
    body: Buffer.from(idempotencyKey === undefined ? asNew(text, sample) : text),
  };
  return signPost(post, signing);
}

const MARKS = 64;

/**
 * The same content in other bytes: a text that is signed without a time takes effect once, and so would every sample
 * after the first. A form gets a parameter, everything else white space at its end.
 */
function asNew(text: string, { headers }: Sample): string {
  const { 'content-type': type = '' } = headers;
  if (type.startsWith('application/x-www-form-urlencoded')) {
    return `${text}&sample=${randomUUID()}`;
  }
  const marks = Array.from(randomBytes(MARKS), (byte) => (byte % 2 === 0 ? ' ' : '\t'));
  return `${text}\n${marks.join('')}`;
}
