import { randomUUID } from 'node:crypto';
import { bodyOf } from '../../hooks/index.ts';
import type { Preset, Sample } from '../../hooks/index.ts';
import { asNew, senderPath } from '../../service/index.ts';
import type { HookPost } from '../../service/index.ts';
import { signFor } from './signed-post.ts';
import type { ServiceSigning } from './signed-post.ts';

/** What a sample is sent with. */
export interface SampleSending extends ServiceSigning {
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
    body: Buffer.from(
      idempotencyKey === undefined ? asNew(text, sample.headers['content-type']) : text,
    ),
  };
  return signFor(post, signing);
}
