import { expandVariables } from './environment.ts';

describe('expandVariables', () => {
  it('replaces ${NAME} in every string, however deep', () => {
    const given = { a: '${X}', list: [{ b: 'pre ${X} ${Y} post' }], n: 1, no: null, yes: true };
    expect(expandVariables(given, { X: 'x', Y: 'y' })).toEqual({
      value: { a: 'x', list: [{ b: 'pre x y post' }], n: 1, no: null, yes: true },
      problems: [],
    });
  });

  it('leaves $${NAME} as ${NAME}', () => {
    expect(expandVariables('$${X}', { X: 'x' })).toEqual({ value: '${X}', problems: [] });
  });

  it('does not look at the replacement again', () => {
    expect(expandVariables('${X}', { X: '${Y}', Y: 'y' }).value).toBe('${Y}');
  });

  it('leaves templates alone', () => {
    expect(expandVariables('{{ payload.a }} $5 {x}', {}).value).toBe('{{ payload.a }} $5 {x}');
  });

  it.each([{}, { X: '' }, { X: ' ' }])(
    'names the key of an unset or empty variable (%j)',
    (env) => {
      const { problems } = expandVariables({ hooks: { mappings: [{ to: 'a${X}' }] } }, env);
      expect(problems).toEqual([
        { key: 'hooks.mappings[0].to', message: expect.stringContaining('variable X') },
      ]);
    },
  );
});
