import * as fc from 'fast-check';
import { QUADRATIC, growth } from '../../../test/support/cpu-time.ts';
import { parseExactly } from '../../platform/exact-json.ts';
import { explainNo } from './explain-when.ts';
import { parseConditions } from './parse-when.ts';
import { findNo, isImplied, placesOf } from './when.ts';
import type { ConditionInput, ParsedConditions } from './when.ts';

const NOTHING: ConditionInput = { payload: {}, headers: {}, query: {} };

function parsed(when: unknown): ParsedConditions {
  const { conditions, problems } = parseConditions(when, 'when');
  expect(problems).toEqual([]);
  return conditions;
}

function holds(when: unknown, input: Partial<ConditionInput>): boolean {
  return findNo(parsed(when), { ...NOTHING, ...input }) === null;
}

function isMet(asked: unknown, x: unknown): boolean {
  return holds({ 'payload.x': asked }, { payload: { x } });
}

describe('a condition (behaviour §7)', () => {
  it.each([
    ['an equal text', 'a', 'a', true],
    ['a text in other capitals', 'a', 'A', false],
    ['a text that only begins so', 'a', 'ab', false],
    ['a text of that number', 30, '30', false],
    ['a number of that text', '30', 30, false],
    ['a number for true', true, 1, false],
    ['nothing for false', false, undefined, false],
    ['null for false', false, null, false],
    ['a list that holds the text', 'a', ['a'], false],
    ['none of several', ['a', 2], '2', false],
    ['not: nothing is there', { not: 'a' }, undefined, true],
    ['exists: an empty text', { exists: true }, '', true],
    ['exists: null is no value', { exists: true }, null, false],
    ['does not exist: null', { exists: false }, null, true],
    ['gt: equal', { gt: 30 }, 30, false],
    ['gt: a text', { gt: 30 }, '31', false],
    ['gt: nothing', { gt: -1 }, undefined, false],
    ['gt: null is not 0', { gt: -1 }, null, false],
    ['gte: equal', { gte: 30 }, 30, true],
    ['lt: equal', { lt: 30 }, 30, false],
    ['lt: a list is not 0', { lt: 1 }, [], false],
    ['lte: equal', { lte: 30 }, 30, true],
    ['startsWith one of', { startsWith: ['a', 'refs'] }, 'refs', true],
    ['startsWith: no text', { startsWith: '1' }, 12, false],
    ['contains: what would be a pattern', { contains: '.*' }, 'abc', false],
    ['contains: a list is no text', { contains: 'a' }, ['a'], false],
    ['any: an empty list', { any: { exists: true } }, [], false],
    ['any: no list', { any: 'agent' }, 'agent', false],
    ['any: both of one entry', { any: { gt: 1, lt: 3 } }, [0, 4], false],
    ['all: an empty list', { all: 'a' }, [], false],
    ['all: nothing there', { all: { not: 'a' } }, undefined, false],
    ['not any', { not: { any: 'wip' } }, ['bug'], true],
  ])('%s', (_, asked, value, expected) => {
    expect(isMet(asked, value)).toBe(expected);
  });

  it('reads payload, headers and query, and all of them must say yes', () => {
    const when = { 'payload.a.b[1]': 2, 'headers.x-event': 'push', 'query.team': 'ops' };
    const input = {
      payload: { a: { b: [1, 2] } },
      headers: { 'x-event': 'push' },
      query: { team: 'ops' },
    };
    expect(holds(when, input)).toBe(true);
    expect(holds(when, { ...input, query: {} })).toBe(false);
    expect(holds(when, { ...input, headers: { 'x-event': 'pull' } })).toBe(false);
    expect(holds(when, { ...input, payload: { a: { b: [1] } } })).toBe(false);
  });

  it.each([
    ['any entry', { 'payload.labels[].name': { any: 'agent' } }, true],
    [
      'all entries, one without the field',
      { 'payload.labels[].name': { all: ['bug', 'agent'] } },
      false,
    ],
    ['a field that some entry has', { 'payload.labels[].name': { exists: true } }, true],
    ['a field that no entry has', { 'payload.labels[].colour': { exists: false } }, true],
    ['lists in lists', { 'payload.groups[].tags[]': { any: 'x' } }, true],
    [
      'lists in lists, one missing',
      { 'payload.groups[].tags[]': { all: { exists: true } } },
      false,
    ],
    ['a list that is none', { 'payload.title[]': { any: { exists: true } } }, false],
    ['none that is wip', { 'payload.labels[].name': { not: { any: 'wip' } } }, true],
  ])('looks at %s with []', (_, when, expected) => {
    const payload = {
      title: 'T',
      labels: [{ name: 'bug' }, { name: 'agent' }, {}],
      groups: [{ tags: ['x'] }, {}],
    };
    expect(holds(when, { payload })).toBe(expected);
  });

  it.each([
    [{ or: [{ 'payload.a': 1 }, { 'payload.b': 2 }] }, { b: 2 }, true],
    [{ or: [{ 'payload.a': 1 }, { 'payload.b': 2 }] }, { a: 2 }, false],
    [{ 'payload.c': 3, or: [{ 'payload.a': 1 }] }, { a: 1 }, false],
    [{ and: [{ 'payload.a': 1 }, { 'payload.b': 2 }] }, { a: 1 }, false],
    [{ and: [{ or: [{ 'payload.a': 1 }] }, { or: [{ 'payload.b': 2 }] }] }, { a: 1, b: 2 }, true],
  ])('nests and and or: %j of %j', (when, payload, expected) => {
    expect(holds(when, { payload })).toBe(expected);
  });

  it.each([
    ['["First name"]', 'Ann', true],
    ['payload["a.b"].c', 1, true],
    ['payload.a.b.c', 1, true],
    ['payload.labels.app.kubernetes.io/name', 'api', true],
    ["payload.labels['app.kubernetes.io/name']", 'api', true],
    ['payload["list of"][]["x.y"]', { any: 2 }, true],
    ['payload.list of[].x.y', { any: 2 }, null],
    ['payload["list of"][].x.y', { any: 2 }, true],
    ['query["a.b"]', 'q', true],
    ['payload["constructor.name"]', { exists: true }, false],
    ['payload["__proto__"]', { exists: true }, false],
    ['payload["[]"]', { exists: true }, null],
    ['payload["a.b"', { exists: true }, null],
  ])('looks at a field of any name: %s is %j: %j', (place, asked, expected) => {
    const payload = {
      'First name': 'Ann',
      'a.b': { c: 1 },
      labels: { app: 'shop', 'app.kubernetes.io/name': 'api' },
      'list of': [{}, { 'x.y': 2 }],
    };
    const { problems } = parseConditions({ [place]: asked }, 'when');
    expect(problems).toHaveLength(expected === null ? 1 : 0);
    const input = { payload, query: { 'a.b': 'q' } };
    expect(expected === null || holds({ [place]: asked }, input) === expected).toBe(true);
  });

  it.each([
    ['9007199254740993', '9007199254740993', true],
    ['9007199254740993', '9007199254740992', false],
    ['9007199254740993', ['1', '9007199254740993'], true],
    ['9007199254740992', '9007199254740992', true],
    ['9007199254740993', '9.007199254740993e15', true],
    ['9007199254740993', { not: '9007199254740993' }, false],
    ['9007199254740993', { gt: '9007199254740992' }, true],
    ['9007199254740993', { lte: '9007199254740992' }, false],
    ['9007199254740993', { gte: 9_007_199_254_740_991 }, true],
    ['-9007199254740993', { lt: -9_007_199_254_740_991 }, true],
    ['0.30000000000000000004', 0.3, false],
    ['0.30000000000000000004', { gt: 0.3, lt: 0.4 }, true],
    ['30.00000000000000000000', 30, true],
    ['1e400', { gt: 5 }, true],
    ['1e400', '1e400', true],
    ['-1e400', { gt: 5 }, false],
    ['1e-400', { gt: 0 }, true],
    ['30', '30', false],
    ['"9007199254740993"', { gt: 5 }, false],
    ['"9007199254740993"', '9007199254740993', true],
  ])('%s by its digits: %j is %j', (digits, asked, expected) => {
    const payload = parseExactly(`{"n":${digits},"list":[1,${digits}]}`);
    expect(holds({ 'payload.n': asked }, { payload })).toBe(expected);
  });

  it('shows all digits of a number that no double holds', () => {
    const payload = parseExactly('{"n":90071992547409931}');
    const [part] = parsed({ 'payload.n': 1 });
    expect(part && explainNo(part, { ...NOTHING, payload }, () => false)).toBe(
      'payload.n is 90071992547409931, asked for is 1',
    );
  });

  it.each([['payload'], ['payload[0]']])('takes %s for a payload that is no object', (place) => {
    const payload = place === 'payload' ? 'up' : ['up'];
    expect(holds({ [place]: 'up' }, { payload })).toBe(true);
  });
});

describe('conditions and an attacker', () => {
  it.each(['__proto__', 'constructor', 'valueOf', 'length'])('finds no inherited %s', (name) => {
    for (const payload of [{}, { x: {} }, 'text', 5, null]) {
      expect(holds({ [`payload.${name}`]: { exists: true } }, { payload })).toBe(false);
      expect(holds({ [`payload.x.${name}`]: { exists: true } }, { payload })).toBe(false);
    }
    expect(holds({ [`headers.${name.toLowerCase()}`]: { exists: true } }, {})).toBe(false);
    expect(holds({ [`query.${name}`]: { exists: true } }, {})).toBe(false);
  });

  it('calls no getter', () => {
    const payload = Object.defineProperty({}, 'x', {
      get: () => {
        throw new Error('called');
      },
    });
    expect(holds({ 'payload.x': { exists: true } }, { payload })).toBe(false);
  });

  it('survives what is nested a thousand deep', () => {
    let payload: unknown = 'end';
    for (let depth = 0; depth < 1000; depth += 1) payload = { a: payload };
    const place = `payload${'.a'.repeat(1000)}`;
    expect(holds({ [place]: 'end' }, { payload })).toBe(true);
    expect(holds({ [place]: 'other' }, { payload })).toBe(false);
  });

  it('looks at huge lists without a spread, in linear time', () => {
    const when = parsed({ 'payload.a[].b[].c': { all: { not: 'x' } } });
    const all = Array.from({ length: 200_000 }, () => ({ c: 'y' }));
    const ask = (size: number): void => {
      const entry = { b: all.slice(0, size) };
      const input = { ...NOTHING, payload: { a: [entry, entry] } };
      expect(findNo(when, input)).toBeNull();
    };
    expect(growth(ask, 200_000)).toBeLessThan(QUADRATIC);
  });

  it('looks at long texts in linear time', () => {
    const when = parsed({ 'payload.x': { not: { contains: 'aaaaaaaab' } } });
    const ask = (size: number): void => {
      expect(findNo(when, { ...NOTHING, payload: { x: 'a'.repeat(size) } })).toBeNull();
    };
    expect(growth(ask, 4_000_000)).toBeLessThan(QUADRATIC);
  });
});

function problemsOf(when: unknown): string[] {
  return parseConditions(when, 'when').problems.map(({ key, message }) => `${key} ${message}`);
}

const KNOWN = 'not, any, all, exists, gt, gte, lt, lte, startsWith, endsWith, contains';

describe('a condition on who wrote it', () => {
  const asked = { 'payload.messages[].fromAddress': { any: 'ann@example.org' } };
  const mails = (...authentic: unknown[]) => ({
    payload: { messages: authentic.map((one) => ({ ...ANN, authentic: one })) },
  });
  const ANN = { from: 'ann@example.org', fromAddress: 'ann@example.org' };

  it.each([
    ['what is authentic', [true], true],
    ['what is not', [false], false],
    ['what nobody knows of', ['unknown'], false],
    ['what is beside one that is not', [true, false], false],
    ['what comes of a sender who has no such word', [undefined], true],
  ])('is met by %s: %#', (_what, authentic, expected) => {
    expect(holds(asked, mails(...authentic))).toBe(expected);
  });

  it.each([
    { 'payload.messages[].from': { any: { contains: 'ann@' } } },
    { 'payload.messages[0].from': 'ann@example.org' },
    { 'payload.messages[].from': { all: { not: 'evil@example.org' } } },
    { or: [{ 'payload.x': 1 }, { 'payload.messages[0].fromAddress': { exists: true } }] },
    { and: [asked] },
  ])('is met by authentic mail alone, however it is asked: %j', (when) => {
    expect(holds(when, mails(true))).toBe(true);
    expect(holds(when, mails(false))).toBe(false);
  });

  it('is met by any where a condition beside it says so', () => {
    const any = { ...asked, 'payload.messages[].authentic': { any: [true, false, 'unknown'] } };
    for (const one of [true, false, 'unknown']) expect(holds(any, mails(one))).toBe(true);
  });

  it('says that it is not authentic', () => {
    const no = findNo(parsed(asked), { ...NOTHING, ...mails(false) });
    expect(no && explainNo(no, { ...NOTHING, ...mails(false) }, () => false)).toBe(
      'payload.messages[].authentic is [false], asked for is not a list with one of false, "unknown"',
    );
  });
});

describe('what is wrong with conditions is said at start, with the key', () => {
  it.each([
    [{}, "when must be an object with a condition, such as {'payload.action': 'opened'}"],
    [
      { action: 'a' },
      'when["action"] looks nowhere; begin with payload., headers. or query., or write and or or',
    ],
    [
      { 'body.a': 'a' },
      'when["body.a"] looks nowhere; begin with payload., headers. or query., or write and or or',
    ],
    [
      { 'payload..a': 'a' },
      'when["payload..a"] looks nowhere; begin with payload., headers. or query., or write and or or',
    ],
    [{ headers: 'a' }, 'when["headers"] must name one of headers, such as headers.x-event'],
    [{ 'query.a.b': 'a' }, 'when["query.a.b"] must name one of query, such as query.x-event'],
    [
      { 'headers.X-Event': 'a' },
      'when["headers.X-Event"] never finds it; write headers.x-event, in lower case',
    ],
    [{ 'payload.a': { gtt: 3 } }, `when["payload.a"].gtt is no operator; known are ${KNOWN}`],
    [{ 'payload.a': {} }, `when["payload.a"] must have an operator: ${KNOWN}`],
    [{ 'payload.a': { gt: '3' } }, 'when["payload.a"].gt must be a number'],
    [
      { 'payload.a': 2 ** 53 },
      'when["payload.a"] is a number that JavaScript rounds; write its digits as a text',
    ],
    [
      { 'payload.a': { gt: 2 ** 53 } },
      'when["payload.a"].gt is a number that JavaScript rounds; write its digits as a text',
    ],
    [
      { 'payload["a': 1 },
      String.raw`when["payload[\"a"] looks nowhere; begin with payload., headers. or query., or write and or or`,
    ],
    [{ 'payload.a': { lt: NaN } }, 'when["payload.a"].lt must be a number'],
    [{ 'payload.a': { exists: 'yes' } }, 'when["payload.a"].exists must be true or false'],
    [
      { 'payload.a': { contains: '' } },
      'when["payload.a"].contains must be a text that is not empty, or a list of them',
    ],
    [
      { 'payload.a': { startsWith: ['a', 1] } },
      'when["payload.a"].startsWith must be a text that is not empty, or a list of them',
    ],
    [
      { 'payload.a': [] },
      'when["payload.a"] must be a text, a number, true or false, a list of them, or an object of operators',
    ],
    [
      { 'payload.a': ['a', { not: 'b' }] },
      'when["payload.a"] must be a text, a number, true or false, a list of them, or an object of operators',
    ],
    [
      { 'payload.a': Infinity },
      'when["payload.a"] must be a text, a number, true or false, a list of them, or an object of operators',
    ],
    [
      { 'payload.a': { not: { any: {} } } },
      `when["payload.a"].not.any must have an operator: ${KNOWN}`,
    ],
    [
      { 'payload.a[].b': 'x' },
      'when["payload.a[].b"] finds several values; say how many must fit, such as {any: …} or {all: …}',
    ],
    [
      { 'payload.a[]': { any: 'x', gt: 3 } },
      'when["payload.a[]"] finds several values; say how many must fit, such as {any: …} or {all: …}',
    ],
    [{ or: {} }, 'when["or"] must be a list of objects with conditions'],
    [{ and: [] }, 'when["and"] must be a list of objects with conditions'],
    [
      { or: [{ 'payload.a': { x: 1 } }] },
      `when["or"][0]["payload.a"].x is no operator; known are ${KNOWN}`,
    ],
    [
      { or: [3] },
      "when[\"or\"][0] must be an object with a condition, such as {'payload.action': 'opened'}",
    ],
  ])('%j', (when, problem) => {
    expect(problemsOf(when)).toEqual([problem]);
  });

  it('says all of it at once', () => {
    expect(problemsOf({ 'payload.a': { gt: 'x' }, b: 1, or: [{ c: 1 }] })).toHaveLength(3);
  });
});

describe('why a condition said no', () => {
  const isCredential = (name: string): boolean => /token|authorization/u.test(name);

  function because(when: unknown, payload: unknown): string {
    const input = { ...NOTHING, payload };
    const no = findNo(parsed(when), input);
    return no === null ? 'yes' : explainNo(no, input, isCredential);
  }

  const long = 'x'.repeat(500);
  it.each([
    [{ 'payload.a': 'b' }, { a: 'c' }, 'payload.a is "c", asked for is "b"'],
    [{ 'payload.a': 'b' }, {}, 'payload.a is not there, asked for is "b"'],
    [{ 'payload.a': 'b' }, { a: null }, 'payload.a is null, asked for is "b"'],
    [{ 'payload.a': 30 }, { a: '30' }, 'payload.a is "30", asked for is 30'],
    [
      { 'payload.a': ['b', 'c'] },
      { a: {} },
      'payload.a is an object, asked for is one of "b", "c"',
    ],
    [
      { 'payload.a': [1, 2, 3, 4, 5] },
      { a: 9 },
      'payload.a is 9, asked for is one of 1, 2, 3, 2 more',
    ],
    [{ 'payload.a': { not: 'b' } }, { a: 'b' }, 'payload.a is "b", asked for is not "b"'],
    [
      { 'payload.a': { gt: 1, lte: 5 } },
      { a: 7 },
      'payload.a is 7, asked for is more than 1 and at most 5',
    ],
    [{ 'payload.a': { gte: 1 } }, { a: 0 }, 'payload.a is 0, asked for is at least 1'],
    [{ 'payload.a': { lt: 1 } }, { a: 1 }, 'payload.a is 1, asked for is less than 1'],
    [
      { 'payload.a': { startsWith: 'b' } },
      { a: 'c' },
      'payload.a is "c", asked for is a text that starts with "b"',
    ],
    [
      { 'payload.a': { endsWith: ['b', 'd'] } },
      { a: 'c' },
      'payload.a is "c", asked for is a text that ends with one of "b", "d"',
    ],
    [
      { 'payload.a': { contains: 'b' } },
      { a: 'c' },
      'payload.a is "c", asked for is a text that contains "b"',
    ],
    [{ 'payload.a': { exists: true } }, {}, 'payload.a is not there, asked for is a value'],
    [{ 'payload.a': { exists: false } }, { a: 1 }, 'payload.a is 1, asked for is no value'],
    [
      { 'payload.a[].b': { any: 'x' } },
      { a: [{ b: 'y' }, {}] },
      'payload.a[].b is ["y", nothing], asked for is a list with "x"',
    ],
    [
      { 'payload.a': { all: 'x' } },
      { a: ['x', [], {}, 4, 5] },
      'payload.a is ["x", a list, an object, 2 more], asked for is a list of nothing but "x"',
    ],
    [
      { or: [{ 'payload.a': 1 }, { 'payload.b': 1 }] },
      { a: 2 },
      'of 2 choices none fits (payload.a is 2, asked for is 1; payload.b is not there, asked for is 1)',
    ],
    [{ 'payload.a': 'b' }, { a: long }, `payload.a is "${'x'.repeat(60)}…", asked for is "b"`],
    [
      { 'payload.user.apiToken': 'secret-1' },
      { user: { apiToken: 'secret-2' } },
      'payload.user.apiToken is not what is asked for (a credential, not shown)',
    ],
    [
      { or: [{ 'payload.token': 's1' }] },
      { token: 's2' },
      'of 1 choices none fits (payload.token is not what is asked for (a credential, not shown))',
    ],
  ])('%j of %j', (when, payload, sentence) => {
    expect(because(when, payload)).toBe(sentence);
  });

  it('is one line, whatever a value holds', () => {
    expect(because({ 'payload.a': 'b' }, { a: 'x\n\u001b[31m' })).not.toMatch(/\p{Cc}/u);
  });
});

describe('placesOf and isImplied', () => {
  it('names every place once', () => {
    const when = parsed({
      'payload.a': 1,
      or: [{ 'headers.b': 'x', 'payload.a': 2 }, { 'query.c': 'y' }],
    });
    expect(placesOf(when)).toEqual(['payload.a', 'headers.b', 'query.c']);
  });

  it.each([
    ['the same', { 'payload.a': 1 }, { 'payload.a': 1 }, true],
    ['one more condition', { 'payload.a': 1 }, { 'payload.a': 1, 'payload.b': 2 }, true],
    ['one less', { 'payload.a': 1, 'payload.b': 2 }, { 'payload.a': 1 }, false],
    ['a part of a list', { 'payload.a': ['x', 'y'] }, { 'payload.a': 'x' }, true],
    ['a wider list', { 'payload.a': 'x' }, { 'payload.a': ['x', 'y'] }, false],
    ['a value within bounds', { 'payload.a': { gt: 3 } }, { 'payload.a': [4, 5] }, true],
    ['another place', { 'payload.a': 1 }, { 'payload.b': 1 }, false],
    ['no condition at all', { 'payload.a': 1 }, null, false],
  ])('knows whether conditions are implied: %s', (_, earlier, later, expected) => {
    expect(isImplied(parsed(earlier), later === null ? [] : parsed(later))).toBe(expected);
  });
});

const scalar = fc.oneof(
  fc.constantFrom('a', 'b', 'ab', '1', ''),
  fc.constantFrom(0, 1, 2),
  fc.boolean(),
);
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 1, arbitrary: fc.constantFrom(null, undefined) },
  { weight: 2, arbitrary: fc.array(fc.oneof(scalar, fc.constant(null)), { maxLength: 3 }) },
);
const payload = fc.record(
  {
    a: value,
    b: value,
    list: fc.array(fc.record({ n: value }, { requiredKeys: [] }), { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
const text = fc.constantFrom('a', 'b', '1');
const texts = fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 2 }));

function asked(depth: number): fc.Arbitrary<unknown> {
  const plain = fc.oneof(scalar, fc.array(scalar, { minLength: 1, maxLength: 3 }));
  if (depth === 0) return plain;
  const inner = asked(depth - 1);
  const bound = fc.integer({ min: -1, max: 3 });
  const one = (name: string, operand: fc.Arbitrary<unknown>): fc.Arbitrary<object> =>
    operand.map((given) => ({ [name]: given }));
  const operator = fc.oneof(
    one('not', inner),
    one('any', inner),
    one('all', inner),
    one('exists', fc.boolean()),
    one('gt', bound),
    one('gte', bound),
    one('lt', bound),
    one('lte', bound),
    one('startsWith', texts),
    one('endsWith', texts),
    one('contains', texts),
  );
  const several = fc.array(operator, { minLength: 1, maxLength: 2 });
  return fc.oneof(
    plain,
    several.map((operators) => Object.assign({}, ...operators) as object),
  );
}

function conditionsOf(depth: number): fc.Arbitrary<Record<string, unknown>> {
  const value = asked(2);
  const many = fc.oneof(fc.record({ any: value }), fc.record({ all: value }));
  const plain = [
    fc.record({ 'payload.a': value }),
    fc.record({ 'payload.b': value }),
    fc.record({ 'payload.list[].n': many }),
  ];
  if (depth === 0) return fc.oneof(...plain);
  const list = fc.array(conditionsOf(depth - 1), { minLength: 1, maxLength: 2 });
  const one = fc.oneof(...plain, fc.record({ and: list }), fc.record({ or: list }));
  return fc
    .array(one, { minLength: 1, maxLength: 2 })
    .map((parts) => Object.assign({}, ...parts) as Record<string, unknown>);
}

const conditions = conditionsOf(2);

type Payload = { readonly a?: unknown; readonly b?: unknown; readonly list?: { n?: unknown }[] };

/** The same rules once more, straight from behaviour §7, over the conditions as they are written. */
function naive(when: Record<string, unknown>, given: Payload): boolean {
  return Object.entries(when).every(([place, asked]) => {
    const nested = asked as Record<string, unknown>[];
    if (place === 'and') return nested.every((one) => naive(one, given));
    if (place === 'or') return nested.some((one) => naive(one, given));
    if (place === 'payload.a') return naiveTest(asked, given.a);
    if (place === 'payload.b') return naiveTest(asked, given.b);
    return naiveTest(
      asked,
      given.list?.map(({ n }) => n),
    );
  });
}

function naiveTest(asked: unknown, found: unknown): boolean {
  if (Array.isArray(asked)) return asked.includes(found);
  if (typeof asked !== 'object' || asked === null) return asked === found;
  const list: unknown[] = Array.isArray(found) ? found : [];
  return Object.entries(asked).every(([name, operand]: [string, unknown]) => {
    const bound = operand as number;
    const number = typeof found === 'number' ? found : Number.NaN;
    const some = (test: (text: string, part: string) => boolean): boolean =>
      typeof found === 'string' && [operand].flat().some((part) => test(found, part as string));
    if (name === 'not') return !naiveTest(operand, found);
    if (name === 'any') return list.filter((one) => naiveTest(operand, one)).length > 0;
    if (name === 'all') return list.length > 0 && !list.some((one) => !naiveTest(operand, one));
    if (name === 'exists') return operand === ((found ?? null) !== null);
    if (name === 'gt') return number > bound;
    if (name === 'gte') return number >= bound;
    if (name === 'lt') return number < bound;
    if (name === 'lte') return number <= bound;
    if (name === 'startsWith') return some((one, part) => one.indexOf(part) === 0);
    if (name === 'endsWith') return some((one, part) => one.slice(-part.length) === part);
    return some((one, part) => one.split(part).length > 1);
  });
}

describe('for all conditions and payloads', () => {
  it('the answer is that of a naive reading', () => {
    const seen = { yes: 0, no: 0 };
    fc.assert(
      fc.property(conditions, payload, (when, given) => {
        const expected = naive(when, given);
        seen[expected ? 'yes' : 'no'] += 1;
        const input = { ...NOTHING, payload: given };
        const { conditions: read, problems } = parseConditions(when, 'when');
        const no = findNo(read, input);
        const isSaid = no === null || explainNo(no, input, () => false) !== '';
        return problems.length === 0 && (no === null) === expected && isSaid;
      }),
      { numRuns: 1000 },
    );
    // Of one kind alone the property would say nothing.
    expect(Math.min(seen.yes, seen.no)).toBeGreaterThan(10);
  });

  it('implied conditions are met where the narrower ones are', () => {
    const single = asked(1).map((one) => ({ 'payload.a': one }));
    let implied = 0;
    fc.assert(
      fc.property(single, single, payload, (earlier, later, given) => {
        if (!isImplied(parsed(earlier), parsed(later))) return true;
        implied += 1;
        return !holds(later, { payload: given }) || holds(earlier, { payload: given });
      }),
      { numRuns: 1000 },
    );
    expect(implied).toBeGreaterThan(0);
  });
});
