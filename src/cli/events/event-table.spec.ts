import { eventStory } from '../../../test/support/event-story.ts';
import { PLAIN } from '../story/paint.ts';
import { tableLines } from '../table.ts';
import { NARROWEST_TABLE, eventTable, tailLine } from './event-table.ts';

const NOW = Date.parse('2026-01-01T10:05:00.000Z');
const ID = '01a1ff3d-f048-76c2-8166-ec88c6c9d5de';
/** Raw URLs may hold C1 controls: they are read as latin1. */
const HOOK = `${'\u009b2J'.repeat(9)}${'x'.repeat(300)}`;

describe('the table of events', () => {
  it('fits 80 columns without ever cutting an id', () => {
    const events = [eventStory({ id: ID, hook: HOOK, mapping: 'm' }), eventStory({ id: ID })];
    const lines = tableLines(eventTable(events, 80, NOW), 80);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines[1]).toMatch(new RegExp(String.raw`^${ID}  done +5m  \\u009b2J.*…$`));
    expect(lines[2]).toMatch(/ {2}ci$/);
  });

  it('names the mapping where the hook does not', () => {
    const [, row] = eventTable([eventStory({ hook: 'github', mapping: 'gh' })], 80, NOW);
    expect(row?.at(-1)).toBe('github (gh)');
    expect(eventTable([eventStory({ mapping: 'ci' })], 80, NOW)[1]?.at(-1)).toBe('ci');
  });
});

describe('a narrow terminal', () => {
  it('still tells which hook it was', () => {
    const event = eventStory({ id: ID, hook: 'alertmanager' });
    expect(tailLine(event, 60, NOW, PLAIN)).toMatch(/ {2}alertmanager$/);
    const columns = NARROWEST_TABLE;
    expect(tableLines(eventTable([event], columns, NOW), columns)[1]).toBe(
      `${ID}  done      5m  alertmanager`,
    );
  });
});

describe('a line of the tail', () => {
  it('has the time, the status, the whole id and the hook, in 80 columns', () => {
    const event = eventStory({ id: ID, status: 'running', hook: HOOK });
    const line = tailLine(event, 80, NOW, PLAIN);
    expect(line).toMatch(new RegExp(String.raw`^10:05:00  running   ${ID}  \\u009b2J.*…$`));
    expect(line.length).toBeLessThanOrEqual(80);
  });
});
