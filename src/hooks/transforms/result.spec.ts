import { assert, constantFrom, json as anyJson, property } from 'fast-check';
import { InvalidResult, readResult } from './result.ts';

const read = (value: unknown) => readResult(JSON.stringify(value), 'agent');

function readOrRefuse(json: string, kind: 'wake' | 'agent'): readonly object[] {
  try {
    return readResult(json, kind) ?? [];
  } catch (error) {
    if (error instanceof InvalidResult) return [];
    throw error;
  }
}

describe('readResult (behaviour §8)', () => {
  it('undefined leaves it to the templates, null and an empty list are nothing', () => {
    expect(readResult(undefined, 'agent')).toBeNull();
    expect(read(null)).toEqual([]);
    expect(read([])).toEqual([]);
  });

  it('an action is of the kind of its mapping unless it says', () => {
    expect(readResult('{}', 'wake')).toEqual([{ kind: 'wake' }]);
    expect(read([{ kind: 'wake', text: 't' }, { message: 'm' }])).toEqual([
      { kind: 'wake', text: 't' },
      { kind: 'agent', message: 'm' },
    ]);
  });

  it('null is absent; blank is absent where a name is meant, not where a text is', () => {
    const blank = { to: ' ', model: '', sessionKey: '\t', agentId: null, channel: null };
    expect(read({ ...blank, message: ' ', name: '' })).toEqual([
      { kind: 'agent', message: ' ', name: '' },
    ]);
  });

  it.each([0, -1, 86_401, '5', true, [], {}])('timeoutSeconds %j is no value', (timeoutSeconds) => {
    expect(() => read({ timeoutSeconds })).toThrow(InvalidResult);
  });

  it('names the field and never its value', () => {
    expect(() => read({ channel: 'private-value' })).toThrow('channel has a value');
    expect(() => read({ channel: 'private-value' })).not.toThrow('private-value');
  });

  it('reads any JSON as known fields or refuses it, and leaves every prototype alone', () => {
    const known =
      /^(kind|message|name|agentId|wakeMode|sessionKey|deliver|channel|to|model|thinking|timeoutSeconds|text|mode)$/;
    const before = Reflect.ownKeys(Object.prototype);
    assert(
      property(anyJson(), constantFrom('wake' as const, 'agent' as const), (json, kind) => {
        const actions = readOrRefuse(json, kind);
        for (const action of actions) {
          expect(Object.getPrototypeOf(action)).toBe(Object.prototype);
          expect(Object.keys(action).filter((name) => !known.test(name))).toEqual([]);
        }
      }),
      { numRuns: 2000 },
    );
    expect(Reflect.ownKeys(Object.prototype)).toEqual(before);
  });
});
