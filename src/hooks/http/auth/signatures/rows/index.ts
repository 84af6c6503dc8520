import type { SignatureScheme } from '../scheme.ts';
import { bodySigned } from './body-signed.ts';
import { otherwiseSigned } from './otherwise-signed.ts';
import { sharedSecrets } from './shared-secrets.ts';
import { timeSigned } from './time-signed.ts';

/** Every scheme by its id. To add a provider, add a row to the file of its kind. */
export const schemes: ReadonlyMap<string, SignatureScheme> = new Map(
  [...timeSigned, ...bodySigned, ...otherwiseSigned, ...sharedSecrets].map((row) => [row.id, row]),
);
