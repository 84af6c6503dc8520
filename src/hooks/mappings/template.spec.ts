import * as fc from 'fast-check';
import { parsePath, parseTemplate, renderTemplate } from './template.ts';
import type { Template, TemplateScope } from './template.ts';

function parsed(source: string | readonly string[]): Template {
  const template = parseTemplate(source);
  if (typeof template === 'string') throw new Error(template);
  return template;
}

function render(
  source: string | readonly string[],
  payload: unknown,
  over: Partial<TemplateScope> = {},
): string {
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
          fc.string({ unit: 'binary' }),
          (text) => render('<{{ a }}>', { a: text }) === `<${text}>`,
        ),
      ),
    ).not.toThrow();
  });

  it.each(['$&', '$1', "$'", '$$'])('gives %s no meaning', (text) => {
    expect(render('<{{ a }}>', { a: text })).toBe(`<${text}>`);
  });
});

describe('templates: a list of lines (decision 0011)', () => {
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
    '{{ a("x") }}{{ b c }}',
    '{{{ a }}}',
    '{{ #if a }}',
  ])('refuses %s and says what to write', (source) => {
    expect(parseTemplate(source)).toMatch(
      /^has a placeholder that is not a path: .*\{\{ a\.b\[0\] \}\}$/u,
    );
  });

  it('refuses a placeholder that never ends', () => {
    expect(parseTemplate('a {{ b')).toBe('has an opening {{ without its closing }}');
  });

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
    ['hook:{{ id }}', { id: 7 }, true],
    ['hook:{{ id }}', {}, false],
    ['hook:{{ id }}', { id: null }, false],
    ['hook:{{ id }}', { id: '' }, false],
    ['hook:{{ a }}{{ b }}', { b: 0 }, true],
    ['hook:x', { x: 1 }, false],
  ])('%s of %j: %s', (source, payload, hasContent) => {
    const scope = { payload, headers: {}, query: {}, path: '', now: '' };
    expect(renderTemplate(parsed(source), scope).hasContent).toBe(hasContent);
  });
});

describe('parsePath', () => {
  it.each([['a'], ['a.b'], ['a[0]'], [' a[0].b[1] '], ['a-b.c_d'], ['ключ.名前']])(
    'takes %j',
    (path) => {
      expect(parsePath(path)).not.toBeNull();
    },
  );

  it.each([[''], [' '], ['.'], ['a.'], ['a['], ['[0]'], ['a[]'], ['a b'], ['a}']])(
    'refuses %j',
    (path) => {
      expect(parsePath(path)).toBeNull();
    },
  );
});
