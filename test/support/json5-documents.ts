import * as fc from 'fast-check';

/** Everything that may stand between two signs of a JSON5 document. */
const between = fc.constantFrom(
  '',
  '',
  ' ',
  '\n',
  '\r\n',
  '\t',
  '\n  ',
  '\n    ',
  '\u00A0',
  '\uFEFF',
  '\u2028',
  ' // }] "\n',
  "// it's {\r\n\t",
  '// ends so\u2029',
  '/* [ , */',
  '/***/',
  '/* two\n lines */ ',
  ' // one\n // two\n',
);

const scalar = fc.constantFrom(
  '0',
  '-1',
  '+1',
  '.5',
  '5.',
  '0x1F',
  '-0xa',
  '1e3',
  'Infinity',
  '-Infinity',
  'NaN',
  'true',
  'null',
  "'a'",
  '"b"',
  "'it\\'s'",
  '"\\x41\\u0042\\\n c"',
  "'\\\r\n'",
  "'// no'",
  '"/* no"',
  "'\\0\\v\\a'",
  "''",
);

const key = fc.constantFrom(
  'a',
  'b',
  'mail',
  '$c',
  '_d',
  'éa',
  '\\u0061x',
  'null',
  'Infinity',
  "'q r'",
  '"mail"',
  "'__proto__'",
  "''",
);

const { value, object } = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    tie('object'),
    tie('array'),
  ),
  array: fc
    .tuple(
      fc.array(fc.tuple(between, tie('value'), between), { maxLength: 3 }),
      between,
      fc.boolean(),
    )
    .map(
      ([items, end, comma]) =>
        `[${list(
          items.map((item) => item.join('')),
          end,
          comma,
        )}]`,
    ),
  object: fc
    .tuple(
      fc.array(fc.tuple(between, key, between, between, tie('value'), between), { maxLength: 4 }),
      between,
      fc.boolean(),
    )
    .map(([members, end, comma]) => {
      const written = members.map(([a, name, b, c, item, d]) => `${a}${name}${b}:${c}${item}${d}`);
      return `{${list(written, end, comma)}}`;
    }),
}));

function list(items: string[], end: string, comma: boolean): string {
  return items.join(',') + (comma && items.length > 0 ? ',' : '') + end;
}

/** Documents whose outermost value is an object, written in every way that JSON5 allows. */
export const json5Documents = fc
  .tuple(between, object, between)
  .map(([before, text, after]) => `${before}${text}${after}`);

/** Single values, written in every way that JSON5 allows. */
export const json5Values = value;
