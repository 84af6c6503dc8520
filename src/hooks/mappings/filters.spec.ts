import * as fc from 'fast-check';
import { parseExactly } from '../../platform/exact-json.ts';
import type { ListLine } from '../options/index.ts';
import { renderTemplate } from './render.ts';
import { parseTemplate } from './template.ts';

type Source = Parameters<typeof parseTemplate>[0];

function render(source: Source, payload: unknown): string {
  const template = parseTemplate(source);
  if (typeof template === 'string') throw new Error(template);
  const scope = { payload, headers: {}, query: {}, path: 'p', now: '2026-03-01T12:00:00.512Z' };
  return renderTemplate(template, scope).text;
}

describe('{{ … | date }}', () => {
  it.each([
    ['Unix seconds', 1782345599, 'Wednesday 2026-06-24 23:59:59 UTC'],
    ['Unix milliseconds', 1782345599512, 'Wednesday 2026-06-24 23:59:59 UTC'],
    ['both as texts', '1782345599', 'Wednesday 2026-06-24 23:59:59 UTC'],
    ['seconds with a fraction', 1782345599.75, 'Wednesday 2026-06-24 23:59:59 UTC'],
    ['before 1970', -1, 'Wednesday 1969-12-31 23:59:59 UTC'],
    ['ISO 8601', '2026-06-15T14:00:00Z', 'Monday 2026-06-15 14:00:00 UTC'],
    ['another zone', '2026-06-15T01:30:00+02:00', 'Sunday 2026-06-14 23:30:00 UTC'],
    ['a zone without its colon', '2026-06-15T01:30:00.000+0200', 'Sunday 2026-06-14 23:30:00 UTC'],
    ['nanoseconds', '2026-06-15T12:00:00.304701605Z', 'Monday 2026-06-15 12:00:00 UTC'],
    ['a blank in it', '2026-06-15 12:00:00 UTC', 'Monday 2026-06-15 12:00:00 UTC'],
    ['no seconds', '2026-06-15T12:00Z', 'Monday 2026-06-15 12:00:00 UTC'],
  ])('reads %s', (_, at, text) => {
    expect(render('{{ at | date }}', { at })).toBe(text);
  });

  it.each([
    ['a time without a zone', '2026-06-15T12:00:00'],
    ['a day alone', '2026-06-15'],
    ['a day that there is not', '2026-13-45T12:00:00Z'],
    ['the 31st of June', '2026-06-31T12:00:00Z'],
    ['words', 'tomorrow'],
    ['a text with a time in it', 'at 2026-06-15T12:00:00Z'],
    ['too many figures', '9'.repeat(17)],
    ['a year of five figures', '253402300800000'],
    ['a list', '[1782345599]'],
  ])('leaves %s as it is written', (_, at) => {
    expect(render('{{ at | date }}', { at: at.startsWith('[') ? [1782345599] : at })).toBe(at);
  });

  it('shows it in a zone that stands in the payload or in the template', () => {
    const payload = { at: 1782345599, zone: 'Europe/Berlin' };
    const text = 'Thursday 2026-06-25 01:59:59 Europe/Berlin (UTC+02:00)';
    expect(render('{{ at | date: zone }}', payload)).toBe(text);
    expect(render("{{ at | date: 'Europe/Berlin' }}", payload)).toBe(text);
  });

  it.each([['no/zone'], [''], [null], [5], [{}], ['x'.repeat(9000)]])(
    'shows it in UTC where the zone of the payload is %j',
    (zone) => {
      expect(render('{{ at | date: zone }}', { at: 0, zone })).toBe(
        'Thursday 1970-01-01 00:00:00 UTC',
      );
    },
  );

  it('takes the first that is there, and no more characters than asked for', () => {
    expect(render('{{ a || at | date }}', { at: 0 })).toBe('Thursday 1970-01-01 00:00:00 UTC');
    expect(render('{{ at | date | max 8 }}', { at: 0 })).toBe('Thursday… (24 more characters)');
    expect(render('At: {{ at | date }}', {})).toBe('At: ');
    expect(render('{{ now | date }}', {})).toBe('Sunday 2026-03-01 12:00:00 UTC');
  });
});

describe('{{ … | money: … }}', () => {
  it.each([
    [1999, 'usd', '19.99 USD'],
    [5, 'EUR', '0.05 EUR'],
    [0, 'eur', '0.00 EUR'],
    [-1250, 'eur', '-12.50 EUR'],
    [500000, 'jpy', '500000 JPY'],
    [1234, 'kwd', '1.234 KWD'],
    // Intl writes both without decimals.
    [1999, 'huf', '19.99 HUF'],
    [1999, 'idr', '19.99 IDR'],
    ['1999', 'eur', '19.99 EUR'],
    ['1999.5', 'eur', '19.995 EUR'],
    ['9'.repeat(30), 'eur', `${'9'.repeat(28)}.99 EUR`],
  ])('%j %s is %s', (amount, currency, text) => {
    expect(render('{{ amount | money: currency }}', { amount, currency })).toBe(text);
    expect(render(`{{ amount | money: '${currency}' }}`, { amount })).toBe(text);
  });

  it.each([
    ['an amount that is none', { amount: '12,50', currency: 'eur' }, '12,50 eur'],
    ['a currency that is none', { amount: 12, currency: 'usdc' }, '12 usdc'],
    ['no currency', { amount: 12 }, '12'],
    ['a list for a currency', { amount: 12, currency: ['eur'] }, '12'],
    ['far too much', { amount: '9'.repeat(31), currency: 'eur' }, `${'9'.repeat(31)} eur`],
    ['1e21', { amount: 1e21, currency: 'eur' }, '1e+21 eur'],
  ])('leaves %s as it is written', (_, payload, text) => {
    expect(render('{{ amount | money: currency }}', payload)).toBe(text);
  });
});

describe('{{ … | in: list[id].name }}', () => {
  it('takes numbers by their digits, and lists and fields of any name', () => {
    const ids = '{"id":9007199254740992,"a":"no"},{"id":9007199254740993,"a[id].name":"yes"}';
    const payload = parseExactly(`{"x":9007199254740993,"my [id].list":[${ids}]}`);
    const template = '{{ x | in: ["my [id].list"][id]["a[id].name"] }}';
    expect(render(template, payload)).toBe('yes');
  });

  const fields = [
    { id: 'a', title: 'Your name?', deep: { er: 'x' } },
    { id: 7, title: 'How many?' },
    { id: 'c', title: null },
    'no item',
  ];
  const lines = (line: string) => [{ each: 'answers', line }];

  it('shows of the item with that id what is asked for', () => {
    const answers = [
      { of: 'a', text: 'Ann' },
      { of: 7, text: '12' },
      { of: '7', text: '13' },
    ];
    const line = '{{ item.of | in: form.fields[id].title }} {{ item.text }}';
    expect(render(lines(line), { answers, form: { fields } })).toBe(
      'Your name? Ann\nHow many? 12\nHow many? 13',
    );
    expect(render('{{ x | in: fields[id].deep.er }}', { x: 'a', fields })).toBe('x');
  });

  it.each([
    ['no item has it', { x: 'b', fields }],
    ['the item has no such text', { x: 'c', fields }],
    ['the list is none', { x: 'b', fields: { b: { title: 'T' } } }],
    ['there is no list', { x: 'b' }],
    ['the id is that of every object', { x: 'b', fields: [{ id: { b: 1 }, title: 'T' }] }],
  ])('shows the id where %s', (_, payload) => {
    expect(render('{{ x | in: fields[id].title }}', payload)).toBe(payload.x);
  });

  it('reaches no inherited property, and looks through 1,000 items', () => {
    const own = JSON.parse('[{"__proto__": {"id": "b", "title": "T"}}]') as unknown;
    expect(render('{{ x | in: fields[id].title }}', { x: 'b', fields: own })).toBe('b');
    expect(render('{{ x | in: fields[id].constructor.name }}', { x: 'a', fields })).toBe('a');
    const many = Array.from({ length: 1001 }, (_, id) => ({ id: String(id), title: `T${id}` }));
    expect(render('{{ x | in: fields[id].title }}', { x: '999', fields: many })).toBe('T999');
    expect(render('{{ x | in: fields[id].title }}', { x: '1000', fields: many })).toBe('1000');
  });
});

describe('{{ … | text }} and {{ … | origin }}', () => {
  it.each([
    ['<p>Hello<br>there</p>\n<p>Bye &amp; thanks</p>', 'Hello\nthere\nBye & thanks'],
    ['see <a class="x" href="https://a.example/b">here</a>', 'see (https://a.example/b) here'],
    ["<A HREF='https://a.example'>x</A>", '(https://a.example) x'],
    // In quadratic time each of these takes minutes.
    [`<a${' href=""'.repeat(200_000)}`, `<a${' href=""'.repeat(200_000)}`],
    [`<a${' href="'.repeat(200_000)}>x`, '( href=) x'],
    ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
    ['&amp;lt;b&gt;', '&lt;b>'],
    ['no tags', 'no tags'],
    ['<'.repeat(100_000), '<'.repeat(100_000)],
  ])('of HTML such as %.60j the words', (html, text) => {
    expect(render('{{ html | text }}', { html })).toBe(text);
  });

  it.each([
    ['https://acme.atlassian.net/rest/api/2/issue/10400', 'https://acme.atlassian.net'],
    ['http://jira.example.org:8080/x', 'http://jira.example.org:8080'],
    ['no address', 'no address'],
    ['javascript:alert(1)', 'javascript:alert(1)'],
    ['https://', 'https://'],
  ])('of %s what stands before its path', (address, origin) => {
    expect(render('{{ address | origin }}', { address })).toBe(origin);
  });
});

describe('filters', () => {
  it.each([
    '{{ a | dat }}',
    '{{ a | date b }}',
    '{{ a | text: b }}',
    '{{ a | __proto__ }}',
    '{{ a | constructor: b }}',
    "{{ a | date: 'Europe/Nowhere' }}",
    '{{ a | money }}',
    "{{ a | money: 'euro' }}",
    '{{ a | money: 5 5 }}',
    '{{ a | in: list }}',
    '{{ a | in: list[0].name }}',
    '{{ a | in: list[id] }}',
    '{{ a | max 5 | date }}',
    '{{ a | max 0 }}',
    '{{ a | }}',
    '{{ | date }}',
    '{{ a | date || b }}',
  ])('%s is a mistake', (source) => {
    expect(parseTemplate(source)).toMatch(
      /^has a placeholder that is not a path: .*\{\{ a \| date/u,
    );
  });

  it('never throw, whatever is sent', () => {
    const source =
      '{{ a | date: b }}{{ a | money: b }}{{ a | in: b[id].c }}{{ a | text }}{{ a | origin }}';
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(typeof render(source, { a, b })).toBe('string');
      }),
    );
  });
});

describe('a line for the items of a list on a condition', () => {
  const jobs = [
    { name: 'image', state: 'ok' },
    { name: 'unit', state: 'failed', tags: [{ name: 'slow' }] },
    { name: 'e2e', state: 'failed' },
    { name: 'docs', state: 'failed' },
  ];

  it('passes over items that do not meet it, and counts none of them', () => {
    const line = { each: 'jobs', line: '{{ index }} {{ item.name }}', most: 2 };
    const when = { 'item.state': 'failed' };
    expect(render([{ ...line, when }], { jobs })).toBe('1 unit\n2 e2e\n… and 1 more');
    expect(render([{ ...line, when: { 'item.state': 'new' } }, 'end'], { jobs })).toBe('end');
    const slow = { 'item.tags[].name': { any: 'slow' } };
    expect(render([{ ...line, when: slow }], { jobs })).toBe('1 unit');
    const either = { or: [{ 'item.name': 'docs' }, { 'item.name': 'image' }] };
    expect(render([{ ...line, when: either }], { jobs })).toBe('0 image\n3 docs');
  });

  it('asks the request once besides', () => {
    const when = { 'item.state': 'failed', 'payload.show': true };
    const line = { each: 'jobs', line: '{{ item.name }}', when, most: 1 };
    expect(render([line, '-'], { jobs, show: false })).toBe('-');
    expect(render([line], { jobs, show: true })).toBe('unit\n… and 2 more');
  });

  it.each<[ListLine, RegExp]>([
    [{ line: '{{ a }}', when: { 'item.a': 1 } }, /looks nowhere/u],
    [
      { each: 'a', line: '{{ item }}', when: { or: [{ 'item.a': 1 }, { 'payload.b': 1 }] } },
      /apart/u,
    ],
  ])('is a mistake in %j', (line, message) => {
    expect(parseTemplate([line])).toMatch(message);
  });
});
