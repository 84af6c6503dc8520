import { GATEWAY_NAMES } from './option-names.ts';
import { resolveOptions } from './resolve.ts';
import type { HooksSettingsInput } from './settings-input.ts';

type Budget = NonNullable<HooksSettingsInput['budgets']>[number];

const TOKEN = 'a-long-and-random-hook-token-1';
const PROVIDERS = {
  lab: { baseUrl: 'http://127.0.0.1:9/v1' },
};

function found(budgets: readonly Budget[], more: HooksSettingsInput = {}) {
  const given = { enabled: true, token: TOKEN, defaultSessionKey: 'hook:x', ...more };
  const input = { ...given, budgets: [...budgets] };
  const { problems, warnings } = resolveOptions(input, GATEWAY_NAMES);
  const text = ({ key, message }: (typeof problems)[number]) => `${key} ${message}`;
  return { problems: problems.map(text), warnings: warnings.map(text) };
}

const cost: Budget = { of: 'cost', most: 5, per: '1d' };

describe('hooks.budgets', () => {
  it.each<[keyof Budget, unknown, string]>([
    ['of', 'money', 'must be one of tokens, runs, cost'],
    ['most', 0, 'must be a positive number'],
    ['most', 1.5, 'must be a whole number of tokens'],
    ['per', '30m', 'must be a duration from 1h to 31d'],
    ['per', '32d', 'must be a duration from 1h to 31d'],
    ['scope', 'hook:', 'must be *, hook:<id>, agent:<id> or sender:<id>'],
    ['scope', 'model:x', 'must be *, hook:<id>, agent:<id> or sender:<id>'],
  ])('%s: %j is refused', (key, value, message) => {
    const budget = { of: 'tokens', most: 5, per: '1d', [key]: value } as Budget;
    expect(found([budget]).problems).toEqual([expect.stringContaining(message)]);
    expect(found([budget]).problems[0]).toContain(`hooks.budgets[0].${key} `);
  });

  it('the same budget twice is refused', () => {
    const prices = { 'lab/one': { input: 1, output: 2 } };
    expect(
      found([cost, { ...cost, most: 9, scope: '*' }], priced('lab/one', prices)).problems,
    ).toEqual(['hooks.budgets[1] counts the same as an earlier budget; remove one of them']);
  });

  const priced = (model: string, prices = {}): HooksSettingsInput => ({
    agents: { defaults: { model } },
    models: { providers: PROVIDERS, prices },
  });

  it('cost of a model without a price is refused, and says what to set', () => {
    expect(found([cost], priced('lab/one')).problems).toEqual([
      'hooks.budgets[0] counts cost, and there is no price of the model "lab/one": set models.prices: {"lab/one": {input, output}}, in US dollars for a million tokens',
    ]);
    expect(found([cost]).problems).toEqual([expect.stringContaining('of the model "auto"')]);
    for (const prices of [
      { 'lab/one': { input: 1, output: 2 } },
      { 'lab/*': { input: 0, output: 0 } },
    ])
      expect(found([cost], priced('lab/one', prices)).problems).toEqual([]);
    expect(found([{ ...cost, of: 'tokens' }], priced('lab/one')).problems).toEqual([]);
    expect(found([{ ...cost, scope: 'agent:other' }], priced('lab/one')).problems).toEqual([]);
  });

  it('warns where one of several senders can use up what is for all', () => {
    const all: Budget = { of: 'tokens', most: 5, per: '1d' };
    const tokens = [{ id: 'crm', token: 'the-secret-of-the-sender-crm', hooks: ['agent'] }];
    const own: Budget = { ...all, scope: 'sender:crm' };
    expect(found([{ ...own, scope: 'hook:agent' }, all], { tokens }).warnings).toEqual([
      "hooks.budgets[1] is for all senders, and any of them can use it up for the others: add budgets with scope: 'sender:<id>'",
    ]);
    expect(found([all, own], { tokens }).warnings).toEqual([]);
    expect(found([all]).warnings).toEqual([]);
  });

  it('warns of agents of which it counts nothing', () => {
    const agents = {
      list: [{ id: 'coder', runner: { type: 'command' as const, command: 'claude' } }],
    };
    const tokens: Budget = { of: 'tokens', most: 5, per: '1d' };
    expect(found([tokens], { agents }).warnings).toContainEqual(
      expect.stringMatching(
        /^hooks\.budgets\[0\] counts nothing of "coder": .*add a budget of runs$/,
      ),
    );
    expect(found([{ ...tokens, of: 'runs' }], { agents }).warnings).toEqual([]);
  });
});
