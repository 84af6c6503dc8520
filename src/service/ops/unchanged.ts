import { ConfigurationUnchanged } from '../configuration/unchanged.ts';
import type { WhyUnchanged } from '../configuration/unchanged.ts';
import { Refusal } from '../refusals.ts';
import type { RefusalCode } from '../refusals.ts';

const CODES = {
  demo: 'demo_configuration',
  broken: 'configuration_broken',
  elsewhere: 'sender_elsewhere',
  foreign: 'file_not_ours',
  changed: 'configuration_changed',
  several: 'several_tokens',
  'takes-no-secret': 'invalid_body',
  'no-secret-yet': 'invalid_body',
  'another-secret': 'another_secret',
  'secrets-elsewhere': 'secrets_elsewhere',
  refused: 'invalid_body',
  unwritable: 'configuration_read_only',
} as const satisfies Readonly<Record<Exclude<WhyUnchanged, 'bad-id' | 'unknown'>, RefusalCode>>;

const SENTENCES: Readonly<Partial<Record<WhyUnchanged, (name: string) => string>>> = {
  'takes-no-secret': (name) => `${name} sends a token that is made here; leave the secret out`,
  'no-secret-yet': (name) => `the secret of ${name} is made there; enter it`,
};

/** A change of the configuration, or the refusal that says why there was none. @param unknown for what is not there */
export async function orRefusal<T>(change: Promise<T>, unknown: () => Refusal): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof ConfigurationUnchanged)) throw error;
    const { why, detail } = error;
    if (why === 'bad-id' || why === 'unknown') throw unknown();
    throw new Refusal(CODES[why], SENTENCES[why]?.(detail) ?? detail.replaceAll('\n', '; '));
  }
}
