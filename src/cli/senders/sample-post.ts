import { randomBytes, randomUUID } from 'node:crypto';
import { bodyOf, signRequest } from '../../hooks/index.ts';
import type { Preset, ResolvedHooksOptions, Sample, SignatureScheme } from '../../hooks/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { HookPost, ServiceClient } from '../service/service-client.ts';
import { findRule, senderPath } from './sender.ts';

/*
 * A vendor's sample as that vendor would send it today: signed with the secret that the configuration has for the path,
 * and a delivery of its own each time, although sample and ids stay the same.
 */

/** What a sample is sent with. */
export interface SampleSending {
  readonly settings: ResolvedHooksOptions;
  readonly service: Pick<ServiceClient, 'url' | 'hooksPath' | 'isOwn'>;
  /** Undefined: a new one, so that the sample is an event of its own. */
  readonly idempotencyKey: string | undefined;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** @throws CliError where nobody but the sender can sign, or the secret would leave the machine */
export function samplePost(
  preset: Preset,
  sample: Sample,
  { settings, service, idempotencyKey, now }: SampleSending,
): HookPost {
  const name = senderPath(preset, settings.hooks);
  const rule = findRule(name, settings);
  const text = bodyOf(sample);
  const body = Buffer.from(idempotencyKey === undefined ? asNew(text, sample) : text);
  const headers = { ...sample.headers, 'idempotency-key': idempotencyKey ?? randomUUID() };
  const byToken = { name, headers, query: {}, body };
  if (rule?.signer === undefined) return byToken;
  const { secrets, verifier } = rule.signer;
  const { scheme } = verifier;
  if (!service.isOwn && isSentAlong(scheme)) {
    throw new CliError(
      'The secrets of this configuration are not sent to another machine.',
      'Send it on the machine of the service.',
      EXIT.usage,
    );
  }
  if (!canSign(scheme)) {
    if (rule.orToken) return byToken;
    throw new CliError(
      `Only ${scheme.name} itself can sign: what the configuration has can only check it.`,
      `Look at what would become of the sample: hooks preview ${preset.id} <sample>`,
    );
  }
  const base = (settings.hooks.publicUrl ?? service.url.href).replace(/\/+$/, '');
  const url = `${base}${service.hooksPath}/${name}`;
  const signed = signRequest(scheme, { secret: secrets[0] ?? '', body, url, now });
  const { 'content-type': type = signed.headers['content-type'] ?? '' } = sample.headers;
  return {
    name,
    headers: { ...headers, ...signed.headers, 'content-type': type },
    query: Object.fromEntries(new URL(signed.url ?? url).searchParams),
    body: Buffer.from(signed.body),
    isSigned: true,
  };
}

/** Whether the secret of a scheme is all that is needed to speak as its sender. */
export function canSign({ proofs: [proof] }: SignatureScheme): boolean {
  if (proof === undefined || proof.kind === 'certificate') return false;
  return proof.kind !== 'signature' || proof.algorithm.startsWith('hmac-');
}

/** Whether its secret itself goes on the wire. */
function isSentAlong({ proofs: [proof] }: SignatureScheme): boolean {
  return proof?.kind === 'secret' || proof?.kind === 'basic';
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
