import * as fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { QUADRATIC, growth } from '../../../test/support/cpu-time.ts';
import { parseExactly } from '../../platform/exact-json.ts';
import { renderTemplate } from './render.ts';
import { parseTemplate } from './template.ts';
import type { Template, TemplateScope } from './template.ts';
import { lookIn, parsePath, parsePayloadPath, writePath } from './value-path.ts';

type Source = Parameters<typeof parseTemplate>[0];

function parsed(source: Source): Template {
  const template = parseTemplate(source);
  if (typeof template === 'string') throw new Error(template);
  return template;
}

function render(source: Source, payload: unknown, over: Partial<TemplateScope> = {}): string {
  const scope = { payload, headers: {}, query: {}, path: 'p', now: 'then', ...over };
  return renderTemplate(parsed(source), scope).text;
}

describe('templates: what a placeholder finds (behaviour §7)', () => {
  const payload = {
    a: { b: [{ c: 'deep' }] },
    n: 0,
    f: false,
    s: 'text',
    nil: null,
    list: [1, 'x'],
  };

  it.each([
    ['payload.a.b[0].c', 'deep'],
    ['a.b[0].c', 'deep'],
    ['a.b.0.c', 'deep'],
    ['n', '0'],
    ['f', 'false'],
    ['list[1]', 'x'],
    ['nil', ''],
    ['missing', ''],
    ['missing.deeper[3]', ''],
    ['s.deeper', ''],
    ['list[2]', ''],
    ['list[-0]'.replace('-', ''), '1'],
    ['list', '[1,"x"]'],
    ['a', '{"b":[{"c":"deep"}]}'],
  ])('{{ %s }} is %j', (path, text) => {
    expect(render(`{{ ${path} }}`, payload)).toBe(text);
  });

  it('reads headers, query, path and now', () => {
    const over = { headers: { 'x-event': 'push' }, query: { team: 'ops' }, path: 'ci/build' };
    const source = '{{headers.x-event}} {{query.team}} {{path}} {{now}}';
    expect(render(source, {}, over)).toBe('push ops ci/build then');
  });

  it('reads item and index under forEach, and nothing there without', () => {
    expect(render('{{ item.a }}{{ index }}', {}, { item: { a: 'x' }, index: 0 })).toBe('x0');
    expect(render('{{ item.a }}{{ index }}', { item: { a: 'x' }, index: 7 })).toBe('');
  });

  it.each(['path', 'now', 'headers', 'query'])(
    '%s wins over a payload field of that name',
    (root) => {
      expect(render(`{{ ${root} }}`, { [root]: 'from the sender' })).not.toContain('sender');
      expect(render(`{{ payload.${root} }}`, { [root]: 'from the sender' })).toBe(
        'from the sender',
      );
    },
  );

  it('takes a payload that is no object', () => {
    expect(render('{{ payload }}|{{ a }}', 'just text')).toBe('just text|');
    expect(render('{{ payload[0] }}', [5])).toBe('5');
  });
});

describe('templates: a field of any name (behaviour §7)', () => {
  const image = 'application/vnd.security.vulnerability.report; version=1.1';
  const payload = {
    scan_overview: { [image]: { severity: 'High' } },
    labels: { app: 'shop', 'app.kubernetes.io/name': 'api' },
    'First name': 'Ann',
    'a.b': { c: 'literal' },
    nested: { b: 'nested', x: null },
    'nested.b': 'literal',
    'nested.x': 'literal',
    'x}}y': 'braces',
    'x | y || z': 'pipes',
    'say "hi"': 'quotes',
    'back\\slash': 'slash',
    "it's": 'apostrophe',
    '': 'no name',
    '[]': 'brackets',
    '*': 'star',
    now: 'own now',
    payload: 'own payload',
    ключ: [{ 'имя файла': 'данные' }],
  };

  it.each([
    [`scan_overview["${image}"].severity`, 'High'],
    ['labels["app.kubernetes.io/name"]', 'api'],
    ["payload['labels']['app.kubernetes.io/name']", 'api'],
    ['["First name"]', 'Ann'],
    ["payload['First name']", 'Ann'],
    ['["a.b"].c', 'literal'],
    ['["x}}y"]', 'braces'],
    ['["x | y || z"]', 'pipes'],
    ['none || ["x | y || z"] | max 3', 'pip… (2 more characters)'],
    [String.raw`["say \"hi\""]`, 'quotes'],
    [`['say "hi"']`, 'quotes'],
    [String.raw`["back\\slash"]`, 'slash'],
    [String.raw`['it\'s']`, 'apostrophe'],
    ['[""]', 'no name'],
    ['["[]"]', 'brackets'],
    ['payload["*"]', 'star'],
    ['["now"]', 'own now'],
    ['["payload"]', 'own payload'],
    ['ключ[0]["имя файла"]', 'данные'],
  ])('{{ %s }} is %j', (path, text) => {
    expect(render(`<{{ ${path} }}>`, payload)).toBe(`<${text}>`);
  });

  it.each([
    ['labels.app.kubernetes.io/name', 'api'],
    ['a.b.c', 'literal'],
    ['payload.a.b.c', 'literal'],
    ['nested.b', 'nested'],
    ['nested.x', ''],
    ['labels.app.kubernetes', ''],
  ])('{{ %s }} finds what is nested first, else a name with dots: %j', (path, text) => {
    expect(render(`{{ ${path} }}`, payload)).toBe(text);
  });

  it.each([
    '["__proto__"]',
    '["__proto__"].polluted',
    'payload["constructor"]["name"]',
    '["constructor.name"]',
    'a["toString"]',
    'long.rawJSON',
    'headers["__proto__"]',
  ])('{{ %s }} finds nothing that was not sent', (path) => {
    expect(render(`{{ ${path} }}`, parseExactly('{"a":{},"long":12345678901234567890}'))).toBe('');
  });

  it('is left out of what is shown behind it, and of an object that is shown whole', () => {
    const answers = { 'e.mail': 'a@example.org', 'First name': 'Ann' };
    const source = ['{{ answers.e.mail }}', '{{ payload.* }}'];
    expect(render(source, { answers })).toBe('a@example.org\n{"answers":{"First name":"Ann"}}');
    const redaction = [{ path: parsePayloadPath('form.answers.e.mail') ?? [], keep: false }];
    const left = '{"e.mail":"[left out]","First name":"Ann"}';
    expect(render('{{ form.answers }}', { 'form.answers': answers }, { redaction })).toBe(left);
    const each = [{ each: 'form.list', line: '{{ item }}' }];
    const secret = [{ path: parsePayloadPath('["form.list"][]["e.mail"]') ?? [], keep: false }];
    expect(render(each, { 'form.list': [answers] }, { redaction: secret })).toBe(left);
  });

  it('is read back as it is written', () => {
    const written = ({ path }: { path: string[] }): boolean => {
      const text = writePath(['payload', ...path]);
      return JSON.stringify(parsePath(text)) === JSON.stringify(['payload', ...path]);
    };
    const name = fc.string({ unit: anyCharacter });
    const named = fc.record({ path: fc.array(name.filter((one) => one !== '*')) });
    expect(() => fc.assert(fc.property(named, written))).not.toThrow();
  });

  it('takes linear time in what was written and in what was sent', () => {
    expect(growth((size) => parsePath('["a"]'.repeat(size)), 20_000)).toBeLessThan(QUADRATIC);
    expect(growth((size) => parsePath(`["${'a'.repeat(size)}`), 400_000)).toBeLessThan(QUADRATIC);
    const wide = (size: number): unknown => {
      const names = Array.from({ length: size }, (_, at) => [`a.b.c${at}`, { 'd.e': at }]);
      return lookIn(Object.fromEntries(names), ['a', 'b', 'c1', 'd', 'e', 'f']);
    };
    expect(growth(wide, 40_000)).toBeLessThan(QUADRATIC);
  });
});

describe('templates: own properties only, one pass, no code (behaviour §7, lessons 71)', () => {
  it.each([
    '__proto__',
    'payload.__proto__',
    'constructor',
    'constructor.name',
    'payload.constructor.constructor',
    'toString',
    'a.hasOwnProperty',
    'list.map',
    'headers.__proto__',
    'headers.constructor',
    'item.constructor',
    'payload.s.length',
  ])('{{ %s }} finds nothing that the object did not bring', (path) => {
    expect(render(`{{ ${path} }}`, { a: {}, list: [], s: 'x' }, { item: {} })).toBe('');
  });

  it('reads a __proto__ that is plain data and pollutes nothing', () => {
    const payload: unknown = JSON.parse('{"__proto__":{"polluted":"yes"}}');
    expect(render('{{ payload.__proto__.polluted }}', payload)).toBe('yes');
    expect({}).not.toHaveProperty('polluted');
  });

  it('does not run a getter', () => {
    const payload = Object.defineProperty({}, 'a', { get: () => 'code ran' });
    expect(render('{{ a }}', payload)).toBe('');
  });

  it('leaves a value alone that looks like a template', () => {
    expect(render('{{ a }}', { a: '{{ headers.secret }}' }, { headers: { secret: 'x' } })).toBe(
      '{{ headers.secret }}',
    );
  });

  it('does not join two values to a template', () => {
    expect(render('{{ a }}{{ b }}', { a: '{', b: '{ now }}' })).toBe('{{ now }}');
  });

  it('shows any text of a payload as it is', () => {
    expect(() =>
      fc.assert(
        fc.property(
          fc.string({ unit: anyCharacter }),
          (text) => render('<{{ a }}>', { a: text }) === `<${text}>`,
        ),
      ),
    ).not.toThrow();
  });

  it.each(['$&', '$1', "$'", '$$'])('gives %s no meaning', (text) => {
    expect(render('<{{ a }}>', { a: text })).toBe(`<${text}>`);
  });
});

describe('templates: a list of lines', () => {
  it.each([
    ['joins its lines', ['a', 'b {{ s }}'], 'a\nb text'],
    ['leaves out a line that finds nothing', ['a', '{{ x }}', 'b'], 'a\nb'],
    ['leaves it out with its words', ['Log: {{ x }}', 'a', '{{ x }}'], 'a'],
    ['keeps a line of which one placeholder finds something', ['{{ x }} {{ s }}', 'b'], ' text\nb'],
    ['keeps 0 and false', ['{{ n }}', '{{ f }}'], '0\nfalse'],
    ['keeps the blank lines that were written', ['a', '', 'b'], 'a\n\nb'],
    ['keeps the line breaks of a value', ['{{ lines }}', 'b'], 'one\n\ntwo\nb'],
    ['may find nothing at all', ['{{ x }}'], ''],
  ])('%s', (_, source, text) => {
    expect(render(source, { s: 'text', n: 0, f: false, y: null, lines: 'one\n\ntwo' })).toBe(text);
  });

  it('is not what a text with line breaks is: there a missing value is empty, and its line stays', () => {
    expect(render('a\n{{ x }}\nLog: {{ x }}', {})).toBe('a\n\nLog: ');
  });

  it('is wrong when one of its lines is', () => {
    expect(parseTemplate(['a', '{{ }}'])).toContain('not a path');
  });
});

describe('templates: the first that is there (behaviour §7)', () => {
  it.each([
    ['{{ a || b }}', { a: 'x', b: 'y' }, 'x'],
    ['{{ a || b }}', { b: 'y' }, 'y'],
    ['{{ a || b }}', { a: null, b: 'y' }, 'y'],
    ['{{ a || b }}', { a: '', b: 'y' }, 'y'],
    ['{{ a || b }}', { a: 0, b: 'y' }, '0'],
    ['{{ a || b }}', { a: false, b: 'y' }, 'false'],
    ['{{a||b||c.d[0]}}', { c: { d: ['z'] } }, 'z'],
    ['{{ a || b }}', {}, ''],
    ['{{ thread_ts || ts }}: {{ text }}', { ts: 5, text: 'hi' }, '5: hi'],
    ['{{ headers.x-a || payload.headers.a }}', { headers: { a: 'own' } }, 'own'],
  ])('%s of %j is %j', (source, payload, text) => {
    expect(render(source, payload)).toBe(text);
  });
});

describe('templates: {{ payload.* }}, what was not shown yet', () => {
  const source = ['{{ a || b }}', '{{ c.d | max 2 }}', '{{ c.e }}', 'Rest: {{ payload.* }}'];

  it.each([
    [{ a: 1, b: 2, z: 3 }, '1\nRest: {"b":2,"z":3}'],
    [{ b: 2 }, '2'],
    [{ c: { d: 'long', e: 5 } }, 'lo… (2 more characters)\n5\nRest: {"c":{"d":"long"}}'],
    [{ c: { e: 5 } }, '5'],
    [[1, 2], 'Rest: [1,2]'],
    [{}, 'Rest: {}'],
  ])('of %j', (payload, text) => {
    expect(render(source, payload)).toBe(text);
  });

  it.each([
    ['an object is of the rest', { a: { x: 1 }, b: 2 }, '2\nRest: {"a":{"x":1}}'],
    ['a list, too', { a: [1] }, 'Rest: {"a":[1]}'],
    ['a text is said once', { a: 'on', b: 'on', c: { e: 'on' } }, 'on'],
    ['a word elsewhere is not the same', { a: 'on', z: 'on' }, 'on\nRest: {"z":"on"}'],
    [
      'a sentence is',
      { a: 'It is on', y: ['It is on'], z: [{ x: 'It is on' }] },
      'It is on\nRest: {"y":["It is on"],"z":[{}]}',
    ],
    [
      'own fields have any name',
      JSON.parse('{"a":"It is on","__proto__":{"y":1}}'),
      'It is on\nRest: {"__proto__":{"y":1}}',
    ],
  ])('%s', (_, payload, text) => {
    expect(render(source, payload)).toBe(text);
  });

  it('a line with words of its own says what it names, though it was said before', () => {
    const lines = ['Assignee: {{ assignee }}', 'Reporter: {{ reporter }}', '{{ payload.* }}'];
    const text = render(lines, { assignee: 'Ann', reporter: 'Ann', x: 1 });
    expect(text).toBe('Assignee: Ann\nReporter: Ann\n{"x":1}');
  });

  it('nulls of lists stay what they are', () => {
    const payload = { a: 'It is on', z: [null, { x: 'It is on', y: null }] };
    expect(render(source, payload)).toBe('It is on\nRest: {"z":[null,{"y":null}]}');
  });

  it('items of a list may say the same', () => {
    const lines = [{ each: 'list', line: '- {{ item }}' }, '{{ payload.* }}'];
    expect(render(lines, { list: ['on', 'on'] })).toBe('- on\n- on\n{"list":["on","on"]}');
  });

  it('a template without it shows what it names, each time', () => {
    expect(render('{{ a }} {{ b }} {{ c }}', { a: 'x', b: 'x', c: [1] })).toBe('x x [1]');
  });
});

describe('templates: a limit of characters (behaviour §7)', () => {
  it.each([
    ['{{ a | max 3 }}', { a: 'abc' }, 'abc'],
    ['{{ a | max 3 }}', { a: 'abcdef' }, 'abc… (3 more characters)'],
    ['{{ a|max 3 }}!', { a: 'abcd' }, 'abc… (1 more characters)!'],
    ['{{ a || b | max 2 }}', { b: 'xyz' }, 'xy… (1 more characters)'],
    ['{{ a | max 2 }}', { a: { b: 1 } }, '{"… (5 more characters)'],
    ['{{ a | max 3 }}', {}, ''],
    ['{{ a | max 2 }}', { a: 'x😀y' }, 'x… (3 more characters)'],
  ])('%s of %j is %j', (source, payload, text) => {
    expect(render(source, payload)).toBe(text);
  });

  it.each(['{{ a | max 0 }}', '{{ a | max }}', '{{ a | max x }}', '{{ a | max 1.5 }}'])(
    'refuses %s',
    (source) => {
      expect(parseTemplate(source)).toContain('not a path');
    },
  );
});

describe('templates: a line for each item of a list (behaviour §7)', () => {
  const line = '- {{ item.status }} {{ item.labels.alertname }}';
  const alerts = ['A', 'B', 'C'].map((alertname) => ({ status: 'firing', labels: { alertname } }));

  it.each([
    ['each of them', { each: 'alerts', line }, '- firing A\n- firing B\n- firing C'],
    [
      'the first, and counts the rest',
      { each: 'alerts', line, most: 2 },
      '- firing A\n- firing B\n… and 1 more',
    ],
    ['no rest where there is none', { each: 'payload.alerts', line: '{{ index }}' }, '0\n1\n2'],
    ['what stands around it', { each: 'alerts', line: '{{ state }}', most: 1 }, 'on\n… and 2 more'],
  ])('shows %s', (_, each, text) => {
    expect(render(['Group', each], { alerts, state: 'on' })).toBe(`Group\n${text}`);
  });

  it('shows 20 unless it is told otherwise', () => {
    const numbers = Array.from({ length: 700 }, (_, index) => index);
    const lines = render([{ each: 'n', line: '{{ item }}' }], { n: numbers }).split('\n');
    expect(lines).toEqual([...numbers.slice(0, 20).map(String), '… and 680 more']);
  });

  it.each([[undefined], [null], ['text'], [{ a: 1 }], [[]], [5]])('shows nothing of %j', (list) => {
    expect(render(['Group', { each: 'alerts', line }], { alerts: list })).toBe('Group');
  });

  it('leaves out the line of an item in which nothing is found', () => {
    expect(render([{ each: 'l', line: '- {{ item.a }}' }], { l: [{ a: 1 }, {}, 'x', null] })).toBe(
      '- 1',
    );
  });

  it('counts no rest of items in which nothing is found', () => {
    expect(render(['a', { each: 'l', line: '- {{ item.a }}', most: 1 }], { l: [{}, {}] })).toBe(
      'a',
    );
  });

  it('looks at its own item and not at that of forEach', () => {
    const over = { item: { name: 'outer', list: ['x'] }, index: 7 };
    const source = [{ each: 'item.list', line: '{{ index }} {{ item }}' }, '{{ item.name }}'];
    expect(render(source, {}, over)).toBe('0 x\nouter');
  });

  it.each([
    [{ each: 'a b', line: '{{ item }}' }, /^has a line whose each is not a path: a b/u],
    [{ each: 'a', line: '{{ }}' }, /not a path/u],
    [{ each: 'a', line: 'same' }, /^has a line that is the same for every item/u],
    [{ line: '{{ a }}', when: {} }, /^has a line whose when must be an object with a condition/u],
    [{ line: '{{ a }}', when: { n: 1 } }, /^has a line whose when\["n"\] looks nowhere/u],
    [{ line: '{{ a', when: { 'payload.n': 1 } }, /without its closing/u],
  ])('refuses %j', (each, why) => {
    expect(parseTemplate(['a', each])).toMatch(why);
  });

  it('is no literal beginning of a key', () => {
    expect(parsed([{ each: 'a', line: 'hook:{{ item }}' }]).literalStart).toBe('');
  });
});

describe('a line of a list on a condition', () => {
  const when = { 'payload.left': { gt: 0 } };

  it.each([
    [{ left: 3, a: 'x' }, 'A x\n3 left'],
    [{ left: 0, a: 'x' }, 'A x'],
    [{ left: '3', a: 'x' }, 'A x'],
    [{ a: 'x' }, 'A x'],
  ])('is there only where it is met: %j', (payload, text) => {
    expect(render(['A {{ a }}', { line: '{{ left }} left', when }], payload)).toBe(text);
  });

  it('may have no placeholder, and may be the first', () => {
    const source = [{ line: 'Not all are shown.', when }, '{{ a }}'];
    expect(render(source, { left: 1, a: 'x' })).toBe('Not all are shown.\nx');
    expect(render(source, { left: 0, a: 'x' })).toBe('x');
  });

  it('may stand over the lines of items', () => {
    const source = ['A', { each: 'l', line: '- {{ item }}', when }];
    expect(render(source, { left: 1, l: [1, 2] })).toBe('A\n- 1\n- 2');
    expect(render(source, { left: 0, l: [1, 2] })).toBe('A');
  });

  it('looks at headers and the query, too', () => {
    const source = ['A', { line: 'B', when: { 'headers.x-test': '1', 'query.q': '2' } }];
    expect(render(source, {}, { headers: { 'x-test': '1' }, query: { q: '2' } })).toBe('A\nB');
    expect(render(source, {}, { headers: { 'x-test': '1' } })).toBe('A');
  });

  it('makes a template no less complete where it is not there', () => {
    const source = ['{{ a }}', { line: '{{ missing }}', when }];
    const scope = { payload: { a: 1 }, headers: {}, query: {}, path: 'p', now: 'then' };
    expect(renderTemplate(parsed(source), scope)).toMatchObject({ text: '1', isComplete: true });
  });
});

describe('parseTemplate', () => {
  it.each([
    '{{ }}',
    '{{}}',
    '{{ a b }}',
    '{{ a..b }}',
    '{{ .a }}',
    '{{ a[x] }}',
    '{{ a[-1] }}',
    '{{ a | upper }}',
    '{{ a || }}',
    '{{ | max 5 }}',
    '{{ a | max 5 || b }}',
    '{{ a|b }}',
    '{{ a("x") }}{{ b c }}',
    '{{{ a }}}',
    '{{ #if a }}',
    '{{ a["b"]c }}',
    '{{ a.["b"] }}',
    '{{ a[b"] }}',
  ])('refuses %s and says what to write', (source) => {
    expect(parseTemplate(source)).toMatch(
      /^has a placeholder that is not a path: .*\{\{ a\.b\[0\] \}\}, /u,
    );
  });

  it.each(['a {{ b', '{{ a["b }} {{ c }}', '{{ a }} {{ b["}}', '{{ a["b" ] }}'])(
    'refuses %s, a placeholder that never ends',
    (source) => {
      expect(parseTemplate(source)).toBe(
        'has an opening {{ without its closing }}, or a [" without its "]',
      );
    },
  );

  it.each(['{"a": {"b": {}}}', 'a }} b', '{ {a} }', ''])('takes %j as plain text', (source) => {
    expect(render(source, { a: 'x' })).toBe(source);
  });

  it('finds a placeholder over line breaks', () => {
    expect(render('{{\n a\n}}', { a: 'x' })).toBe('x');
  });

  it('knows the text before the first placeholder', () => {
    expect(parsed('hook:{{ a }}:x').literalStart).toBe('hook:');
    expect(parsed('{{ a }}:x').literalStart).toBe('');
    expect(parsed('all literal').literalStart).toBe('all literal');
  });
});

describe('renderTemplate: whether content is in the text', () => {
  it.each([
    ['hook:{{ id }}', { id: 7 }, true, true],
    ['hook:{{ id }}', {}, false, false],
    ['hook:{{ id }}', { id: null }, false, false],
    ['hook:{{ id }}', { id: '' }, false, false],
    ['hook:{{ a }}{{ b }}', { b: 0 }, true, false],
    ['hook:{{ a || b }}', { b: 0 }, true, true],
    ['hook:x', { x: 1 }, false, true],
  ])('%s of %j: %s, and everything that was looked for: %s', (source, payload, some, all) => {
    const scope = { payload, headers: {}, query: {}, path: '', now: '' };
    const { hasContent, isComplete } = renderTemplate(parsed(source), scope);
    expect([hasContent, isComplete]).toEqual([some, all]);
  });
});

describe('parsePath', () => {
  it.each([['a'], ['a.b'], ['a[0]'], ['[0]'], [' a[0].b[1] '], ['a-b.c_d'], ['ключ.名前']])(
    'takes %j',
    (path) => {
      expect(parsePath(path)).not.toBeNull();
    },
  );

  it.each([[''], [' '], ['.'], ['a.'], ['a['], ['.a'], ['a[]'], ['a b'], ['a}']])(
    'refuses %j',
    (path) => {
      expect(parsePath(path)).toBeNull();
    },
  );
});

describe('parsePayloadPath', () => {
  it.each([
    ['a.b', ['a', 'b']],
    ['payload.a', ['a']],
    ['payload.payload', ['payload']],
    ['items[].card', ['items', '[]', 'card']],
    ['payload[].a', ['[]', 'a']],
    ['a[0].b', ['a', '0', 'b']],
    ['[].a', ['[]', 'a']],
    ['a[]["e.mail"]', ['a', '[]', 'e.mail']],
    ['["headers"].x', ['headers', 'x']],
  ])('%s', (text, keys) => {
    expect(parsePayloadPath(text)).toEqual(keys);
  });

  it.each(['', 'a b', 'a["[]"]', 'headers.x', 'query', 'item.a', 'a..b', '{{ a }}'])(
    'refuses %j',
    (text) => {
      expect(parsePayloadPath(text)).toBeNull();
    },
  );
});
