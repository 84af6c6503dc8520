import * as fc from 'fast-check';
import JSON5 from 'json5';
import { json5Documents } from '../../../test/support/json5-documents.ts';
import { EditError, applySplices, editJson5, mergeEdits, splicesFor } from './json5-edit.ts';
import type { Edit, Splice } from './json5-edit.ts';
import type { Json } from './json5-style.ts';

const keys = fc.constantFrom('a', 'b', 'mail', 'ax', 'q r', '__proto__', '', 'new', '"');
const edits = fc.record<Edit>({
  kind: fc.constantFrom('set', 'append'),
  path: fc.array(keys, { minLength: 1, maxLength: 3 }),
  // JSON has no -0, and neither has what is written here.
  value: fc
    .jsonValue({ maxDepth: 3, stringUnit: 'binary' })
    .map((value) => JSON.parse(JSON.stringify(value)) as Json),
});

function set(...path: string[]): (value: Json) => Edit {
  return (value) => ({ kind: 'set', path, value });
}

function append(value: Json, ...path: string[]): Edit {
  return { kind: 'append', path, value };
}

/** The edit as a person would do it by hand on the data; undefined where it makes no sense. */
function byHand(data: unknown, { kind, path, value }: Edit): { data: unknown } | undefined {
  const copy = structuredClone({ data });
  let holder: Record<string, unknown> = copy;
  let key = 'data';
  for (const next of path) {
    const inner = own(holder, key) ?? {};
    if (typeof inner !== 'object' || Array.isArray(inner)) return undefined;
    put(holder, key, inner);
    holder = inner as Record<string, unknown>;
    key = next;
  }
  if (kind === 'set') put(holder, key, value);
  else {
    const list = own(holder, key) ?? [];
    if (!Array.isArray(list)) return undefined;
    put(holder, key, [...(list as unknown[]), value]);
  }
  return copy;
}

function own(holder: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(holder, key)?.value;
}

function put(holder: object, key: string, value: unknown): void {
  Object.defineProperty(holder, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

/** Undefined when the edit is refused. */
function attempt(text: string, edit: Edit): Splice[] | undefined {
  try {
    return splicesFor(text, edit);
  } catch (error) {
    if (error instanceof EditError && /must be (a list|an object)/.test(error.message)) return;
    throw error;
  }
}

/** A piece that may be replaced: blanks, or the very value that stood at the path. */
function isTheEditedPlace(piece: string, old: unknown): boolean {
  if (piece.trim() === '') return true;
  expect(JSON5.parse(piece)).toEqual(old);
  return true;
}

function oldValue(data: unknown, path: readonly string[]): unknown {
  let value = data;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return value;
    value = own(value, key);
  }
  return value;
}

describe('editJson5: every document, every edit', () => {
  it('parses to exactly what was meant, and touches nothing but the edited place', () => {
    const runs = Number(process.env['EDIT_RUNS'] ?? 1000);
    let edited = 0;
    fc.assert(
      fc.property(json5Documents, edits, (text, edit) => {
        const data: unknown = JSON5.parse(text);
        const wanted = byHand(data, edit);
        const splices = attempt(text, edit);
        expect(splices === undefined).toBe(wanted === undefined);
        if (splices === undefined || wanted === undefined) return;
        expect(JSON5.parse(applySplices(text, splices))).toStrictEqual(wanted.data);
        for (const { start, end } of splices) {
          isTheEditedPlace(text.slice(start, end), oldValue(data, edit.path));
        }
        edited += 1;
      }),
      { numRuns: runs },
    );
    expect(edited).toBeGreaterThan(runs / 4);
  });

  it('changes nothing at all when everything is already as it is wanted', () => {
    fc.assert(
      fc.property(json5Documents, edits, (text, edit) => {
        if (edit.kind === 'append' || byHand(JSON5.parse(text), edit) === undefined) return;
        const once = editJson5(text, [edit]);
        expect(editJson5(once, [edit])).toBe(once);
      }),
    );
  });
});

const EXAMPLE = `// Ours
{
  hooks: {
    // Nothing is served before this is true.
    enabled: true, // yes
    token: '\${HOOK_TOKEN}',
    presets: ['generic'], // more to come
    // allowRequestSessionKey: true,
  },
}
`;

describe('editJson5: what is new looks like its neighbours', () => {
  it('below the last key, before commented-out ones, with its quotes, indentation and comma', () => {
    const edited = editJson5(EXAMPLE, [
      set('hooks', 'mail')({ account: 'a@b.example', auth: { password: '${P}' }, port: 993 }),
      append('mail', 'hooks', 'presets'),
    ]);
    expect(edited).toBe(
      EXAMPLE.replace("['generic'], // more to come\n", () =>
        [
          "['generic', 'mail'], // more to come",
          '    mail: {',
          "      account: 'a@b.example',",
          "      auth: { password: '${P}' },",
          '      port: 993,',
          '    },',
          '',
        ].join('\n'),
      ),
    );
  });

  it('quoted and without a last comma in plain JSON, which stays plain JSON', () => {
    const text = '{\r\n\t"hooks": {\r\n\t\t"enabled": true\r\n\t}\r\n}\r\n';
    const edited = editJson5(text, [set('hooks', 'mail')({ host: 'x', list: [{ a: '\u0001"' }] })]);
    expect(JSON.parse(edited)).toEqual({
      hooks: { enabled: true, mail: { host: 'x', list: [{ a: '\u0001"' }] } },
    });
    expect(edited).toBe(
      '{\r\n\t"hooks": {\r\n\t\t"enabled": true,\r\n\t\t"mail": {\r\n\t\t\t"host": "x",\r\n\t\t\t"list": [\r\n\t\t\t\t{ "a": "\\u0001\\"" }\r\n\t\t\t]\r\n\t\t}\r\n\t}\r\n}\r\n',
    );
  });

  it('on one line where everything is on one line', () => {
    expect(editJson5('{hooks: {presets: []}}', [append('mail', 'hooks', 'presets')])).toBe(
      "{hooks: {presets: ['mail']}}",
    );
    expect(editJson5('{"a":1}', [set('b', 'c')([1])])).toBe('{"a":1, "b":{ "c": [1] }}');
  });

  it('behind the comment of an object that holds nothing else', () => {
    expect(editJson5('{\n  // soon\n}\n', [set('a')(1)])).toBe('{\n  // soon\n  a: 1,\n}\n');
    expect(editJson5('{} // empty\n', [set('a')(1)])).toBe('{\n  a: 1,\n} // empty\n');
  });

  it('takes the last of a key that is there twice, as the parser does', () => {
    expect(editJson5('{ a: 1, a: 2 }', [set('a')(3)])).toBe('{ a: 1, a: 3 }');
  });
});

describe('editJson5: replacing', () => {
  it('puts an object in the place of null and keeps the comments around a value', () => {
    expect(editJson5('{ a: /* x */ null /* y */ }', [set('a', 'b')(1)])).toBe(
      '{ a: /* x */ { b: 1 } /* y */ }',
    );
  });

  it('merges objects key by key, everything else is set', () => {
    const text = "{\n  mail: {\n    host: 'old', // why\n    port: 993,\n  },\n}";
    const present = JSON5.parse<{ mail: unknown }>(text).mail;
    const wanted = { host: 'new', mailboxes: ['INBOX'] };
    expect(editJson5(text, mergeEdits(['mail'], present, wanted))).toBe(
      "{\n  mail: {\n    host: 'new', // why\n    port: 993,\n    mailboxes: ['INBOX'],\n  },\n}",
    );
  });

  it.each([
    ['{ hooks: [] }', set('hooks', 'mail')(1), 'hooks must be an object to be edited'],
    ['{ a: { b: 1 } }', append(1, 'a', 'b'), 'a.b must be a list to be edited'],
    ['[]', set('a')(1), 'must be one object: { … }'],
  ])('refuses %s', (text, edit, message) => {
    expect(() => editJson5(text, [edit])).toThrow(message);
  });

  it('refuses a text that is no JSON5', () => {
    expect(() => editJson5('{ a: }', [set('a')(1)])).toThrow(SyntaxError);
  });
});
