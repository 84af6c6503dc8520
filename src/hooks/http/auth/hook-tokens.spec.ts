import { ManualClock } from '../../../../test/support/clocks.ts';
import { HooksSettings, writtenDigest } from '../../options/index.ts';
import type { ResolvedHooksOptions } from '../../options/index.ts';
import { HookTokens } from './hook-tokens.ts';

const TOKEN = 'a-hook-token-of-decent-length';
const CI = 'the-secret-of-the-build-server';
const SHORT = 'fifteen-letters';

function given(...secrets: string[]): ResolvedHooksOptions {
  const tokens = [{ id: 'ci', tokens: secrets, hooks: ['deploys'] }];
  return new HooksSettings({ enabled: true, token: TOKEN, tokens }).current;
}

describe('HookTokens', () => {
  const tokens = new HookTokens(new ManualClock());
  const found = (presented: string | null, settings: ResolvedHooksOptions) =>
    tokens.find(presented, settings)?.verifiedBy;

  it('knows a token again, and whose it is', () => {
    const settings = given(writtenDigest(CI));
    for (let time = 0; time < 3; time += 1) {
      expect(found(CI, settings)).toBe('token ci');
      expect(found(TOKEN, settings)).toBe('token');
    }
  });

  it('takes no part and no other spelling of what it knows', () => {
    const settings = given(CI);
    expect(found(CI, settings)).toBe('token ci');
    for (const wrong of [CI.slice(1), CI.slice(0, -1), `${CI} `, CI.toUpperCase(), '', null]) {
      expect(found(wrong, settings)).toBeUndefined();
    }
  });

  it('compares one outside of ASCII as UTF-8, of which Node reads each byte as a letter', () => {
    const secret = 'schlüssel-schlüssel-schlüssel';
    expect(found(Buffer.from(secret).toString('latin1'), given(secret))).toBe('token ci');
  });

  it('forgets it with its configuration', () => {
    expect(found(CI, given(CI))).toBe('token ci');
    expect(found(CI, given('another-secret-of-the-build-server'))).toBeUndefined();
  });

  it('never takes one that is too short to be right, however often it comes', () => {
    const settings = given(writtenDigest(SHORT));
    for (let time = 0; time < 3; time += 1) expect(found(SHORT, settings)).toBeUndefined();
  });
});
