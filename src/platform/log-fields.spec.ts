import { ConsoleLogger } from '@nestjs/common';
import { LogFields } from './log-fields.ts';

describe('LogFields', () => {
  const fields = { event: null, hook: 'github', status: 413, msg: 'refused again' };

  it('is an object to whatever takes objects', () => {
    expect(JSON.parse(JSON.stringify(new LogFields(fields)))).toEqual(fields);
  });

  it("is one line of Nest's own logger", () => {
    const lines: string[] = [];
    const written = jest.spyOn(process.stdout, 'write');
    written.mockImplementation((text) => lines.push(String(text)) > 0);
    try {
      new ConsoleLogger('Hooks', { colors: false }).log(new LogFields(fields));
    } finally {
      written.mockRestore();
    }
    expect(lines).toEqual([expect.stringMatching(/ refused again hook=github status=413\n$/)]);
  });
});
