import type { HooksSettingsInput } from '../../src/hooks/options/index.ts';

/** Options as a person may write them, whatever the types say. */
export function asWritten(written: unknown): HooksSettingsInput {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return written as HooksSettingsInput;
}
