import type { HooksSettingsInput } from '../../src/hooks/options/index.ts';

export function asWritten(written: unknown): HooksSettingsInput {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return written as HooksSettingsInput;
}
