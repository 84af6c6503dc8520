import { IsArray, IsString, MinLength, ValidateIf, validateSync } from 'class-validator';
import * as fc from 'fast-check';
import { catchRejection } from '../../../test/support/ingest.ts';
import { AgentPayload } from './dto/agent-payload.ts';
import { WakePayload } from './dto/wake-payload.ts';
import { TidyBody, checkPayload, unknownFields } from './payload-rules.ts';

const checked = <T extends object>(dto: new () => T) => ({
  transform: (payload: unknown) => ({
    value: checkPayload(payload, dto),
    warnings: unknownFields(payload, dto),
  }),
});
const wake = checked(WakePayload);
const agent = checked(AgentPayload);

function refusal(pipe: { transform: (payload: unknown) => unknown }, payload: unknown): string {
  const rejection = catchRejection(() => pipe.transform(payload));
  expect([rejection.code, rejection.status]).toEqual(['invalid_payload', 400]);
  return rejection.message;
}

function valueOf(payload: unknown): Partial<AgentPayload> {
  return agent.transform(payload).value;
}

describe('wake payload (spec "Request payload: wake", behaviour §4)', () => {
  it('trims the text and takes both modes', () => {
    expect(wake.transform({ text: ' disk full\n', mode: 'next-heartbeat' }).value).toEqual({
      text: 'disk full',
      mode: 'next-heartbeat',
    });
    expect(wake.transform({ text: 'x', mode: 'now' }).value.mode).toBe('now');
    expect(wake.transform({ text: 'x' }).value.mode).toBeUndefined();
  });

  it.each([
    [{}],
    [{ text: '' }],
    [{ text: ' \n\t' }],
    [{ text: null }],
    [{ text: 3 }],
    [{ text: ['x'] }],
    [{ text: {} }],
  ])('refuses %j, naming text', (payload) => {
    expect(refusal(wake, payload)).toContain('text');
  });

  it.each(['later', 'NOW', 'Next-Heartbeat', 3, true, ['now']])('refuses the mode %j', (mode) => {
    expect(refusal(wake, { text: 'x', mode })).toContain('now, next-heartbeat');
  });
});

describe('agent payload (spec "Request payload: agent", behaviour §5)', () => {
  it('keeps the message as sent', () => {
    expect(valueOf({ message: '  indented\r\n' })).toEqual({ message: '  indented\r\n' });
  });

  it.each([
    [{}],
    [{ message: '' }],
    [{ message: ' \n\u2003' }],
    [{ message: null }],
    [{ message: 7 }],
    [{ message: ['x'] }],
  ])('refuses %j', (payload) => {
    expect(refusal(agent, payload)).toContain('message');
  });

  const texts = ['name', 'agentId', 'sessionKey', 'to', 'model', 'idempotencyKey'];

  it.each(texts)('trims %s, and takes blank and null for absent', (field) => {
    expect(valueOf({ message: 'x', [field]: ' v ' })).toEqual({ message: 'x', [field]: 'v' });
    for (const absent of [' ', '', null])
      expect(valueOf({ message: 'x', [field]: absent })).toEqual({ message: 'x' });
  });

  it.each(texts)('refuses a wrong type for %s, naming it', (field) => {
    for (const wrong of [3, true, [], {}])
      expect(refusal(agent, { message: 'x', [field]: wrong })).toContain(field);
  });

  it('takes every thinking level exactly', () => {
    for (const thinking of [
      'off',
      'minimal',
      'low',
      'medium',
      'high',
      'xhigh',
      'max',
      'adaptive',
    ] as const) {
      expect(valueOf({ message: 'x', thinking }).thinking).toBe(thinking);
    }
    for (const thinking of ['High', 'ultra', 3])
      expect(refusal(agent, { message: 'x', thinking })).toContain('thinking');
  });

  it('folds the channel, and names the list for others', () => {
    expect(valueOf({ message: 'x', channel: ' CHAN_8 ' }).channel).toBe('chan_8');
    expect(valueOf({ message: 'x', channel: 'Last' }).channel).toBe('last');
    for (const channel of ['chan_0', 'chan_9', 'telegram', 2]) {
      expect(refusal(agent, { message: 'x', channel })).toMatch(/channel .*last, chan_1.*chan_8/u);
    }
  });

  it.each([0.5, 1, 86_400])('takes timeoutSeconds %d', (timeoutSeconds) => {
    expect(valueOf({ message: 'x', timeoutSeconds })).toEqual({ message: 'x', timeoutSeconds });
  });

  it.each([0, -1, 86_400.5, '60', '', ' ', true, [], Number.POSITIVE_INFINITY])(
    'refuses timeoutSeconds %j',
    (timeoutSeconds) => {
      expect(refusal(agent, { message: 'x', timeoutSeconds })).toContain('timeoutSeconds');
    },
  );

  it.each(['', 'true', 'false', 1, 0, [], {}])(
    'refuses deliver %j instead of delivering',
    (deliver) => {
      expect(refusal(agent, { message: 'x', deliver })).toContain('deliver');
    },
  );

  it('takes an idempotency key of 256 characters and refuses 257', () => {
    expect(valueOf({ message: 'x', idempotencyKey: 'k'.repeat(256) }).idempotencyKey).toHaveLength(
      256,
    );
    expect(refusal(agent, { message: 'x', idempotencyKey: 'k'.repeat(257) })).toContain(
      'idempotencyKey',
    );
  });

  it('names every wrong field at once', () => {
    const message = refusal(agent, { message: 3, deliver: 'x', wakeMode: 'never' });
    for (const field of ['message', 'deliver', 'wakeMode']) expect(message).toContain(field);
  });

  it('never repeats what the sender sent', () => {
    expect(
      refusal(agent, { message: 3, channel: 'evil-value', thinking: 'evil-value' }),
    ).not.toContain('evil');
  });
});

describe('checkPayload: unknown fields (behaviour §2)', () => {
  it('are named, not refused', () => {
    expect(agent.transform({ message: 'x', channelId: 3, agent: 'y' }).warnings).toEqual([
      'unknown field channelId ignored',
      'unknown field agent ignored',
    ]);
    expect(agent.transform({ message: 'x' }).warnings).toEqual([]);
  });

  it('are named in a refusal, too: one of them may be the missing one', () => {
    expect(refusal(agent, { mesage: 'x' })).toMatch(
      /^message .*; unknown field mesage ignored\.$/u,
    );
  });

  it('beyond ten are counted', () => {
    const fields = Object.fromEntries(Array.from({ length: 13 }, (_, i) => [`f${i}`, i]));
    const { warnings } = agent.transform({ message: 'x', ...fields });
    expect(warnings).toHaveLength(11);
    expect(warnings.at(-1)).toBe('3 more unknown fields ignored');
  });

  it('reach the answer as one short line each', () => {
    const [warning] = agent.transform({
      message: 'x',
      [`a\r\nb\u0000${'c'.repeat(500)}`]: 1,
    }).warnings;
    expect(warning).toMatch(/^unknown field a b c{60} ignored$/u);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '%s is one of them and changes nothing',
    (name) => {
      const { value, warnings } = agent.transform(
        JSON.parse(`{"message":"x","${name}":{"deliver":false}}`),
      );
      expect(warnings).toEqual([`unknown field ${name} ignored`]);
      expect(value.deliver).toBeUndefined();
    },
  );
});

describe('checkPayload: payloads that are no object', () => {
  it.each([[null], ['text'], [3], [[]], [[{ message: 'x' }]], [undefined], [true]])(
    'refuses %j',
    (payload) => {
      expect(refusal(agent, payload)).toBe('Send a JSON object.');
    },
  );

  it('reads own fields only', () => {
    expect(refusal(agent, Object.create({ message: 'inherited' }))).toContain('message');
  });
});

/** The rule of behaviour §5 once more, written the slow way: blank and null are absent, texts are trimmed. */
function tidied(field: string, value: unknown, isText: boolean): unknown {
  if (value === null) return undefined;
  if (typeof value !== 'string' || !isText || field === 'message') return value;
  const trimmed = value.trim();
  if (trimmed === '') return undefined;
  return field === 'channel' ? trimmed.toLowerCase() : trimmed;
}

describe('checkPayload accepts exactly what class-validator accepts', () => {
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('', ' ', 'now', 'CHAN_2 ', 'last', 'k'.repeat(257)),
    fc.constantFrom(0, 86_401, Number.NaN, Number.POSITIVE_INFINITY),
  );
  const sound = new Map<string, fc.Arbitrary<unknown>>([
    ['mode', fc.constantFrom('now', 'next-heartbeat')],
    ['wakeMode', fc.constantFrom('now', 'next-heartbeat')],
    ['deliver', fc.boolean()],
    ['timeoutSeconds', fc.constantFrom(0.5, 1, 86_400)],
    ['channel', fc.constantFrom('last', 'CHAN_1', ' chan_8 ')],
    ['thinking', fc.constantFrom('off', 'high')],
  ]);
  const mostlySound = (field: string): fc.Arbitrary<unknown> =>
    fc.oneof(
      { weight: 4, arbitrary: sound.get(field) ?? fc.string({ minLength: 1 }) },
      { weight: 1, arbitrary: odd },
    );
  const notText = new Set(['deliver', 'timeoutSeconds']);

  function agreed(dto: new () => object, fields: readonly string[]): number {
    const pipe = checked(dto);
    const payloads = fc.record(
      Object.fromEntries(fields.map((field) => [field, mostlySound(field)])),
      {
        requiredKeys: [],
      },
    );
    let accepted = 0;
    const runs = fc.property(payloads, (payload) => {
      const instance = new dto();
      for (const [field, value] of Object.entries(payload)) {
        const tidy = tidied(field, value, !notText.has(field));
        if (tidy !== undefined) Object.assign(instance, { [field]: tidy });
      }
      const expected = validateSync(instance).length === 0;
      if (expected) accepted += 1;
      let value: unknown;
      try {
        ({ value } = pipe.transform(payload));
      } catch {
        return !expected;
      }
      expect(value).toEqual(instance);
      return expected;
    });
    fc.assert(runs, { numRuns: 1000 });
    return accepted;
  }

  it('for wake payloads', () => {
    expect(agreed(WakePayload, ['text', 'mode'])).toBeGreaterThan(10);
  });

  it('for agent payloads', () => {
    expect(
      agreed(AgentPayload, ['message', 'deliver', 'timeoutSeconds', 'channel']),
    ).toBeGreaterThan(10);
    expect(
      agreed(AgentPayload, [
        'message',
        'name',
        'agentId',
        'sessionKey',
        'wakeMode',
        'to',
        'model',
        'thinking',
        'idempotencyKey',
      ]),
    ).toBeGreaterThan(10);
  });

  it('a refusal always says why', () => {
    expect(() =>
      fc.assert(
        fc.property(
          fc.dictionary(fc.constantFrom('message', 'deliver', 'to', 'x'), odd),
          (payload) => {
            try {
              agent.transform(payload);
              return true;
            } catch (error) {
              return error instanceof Error && error.message.length > 5;
            }
          },
        ),
      ),
    ).not.toThrow();
  });
});

describe('TidyBody refuses at start a class that a loop cannot judge', () => {
  class Conditional {
    @ValidateIf(() => false)
    @IsString()
    text = '';
  }
  class PerValue {
    @IsArray()
    @MinLength(1, { each: true })
    list: string[] = [];
  }
  class Grouped {
    @IsString({ groups: ['a'] })
    text = '';
  }

  it.each([Conditional, PerValue, Grouped])('%p', (dto: new () => object) => {
    expect(() => TidyBody()(dto)).toThrow(/a loop cannot judge/u);
  });
});
