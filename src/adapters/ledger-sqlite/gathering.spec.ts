import { Gathering } from './gathering.ts';

/** Turns until the batch is sent, while `waiting` callers wait. */
function turnsUntilComplete(gathering: Gathering, waiting: number): number {
  let turns = 1;
  while (!gathering.isComplete(waiting)) turns += 1;
  return turns;
}

describe('Gathering', () => {
  it('never keeps the first caller, nor one that is alone', () => {
    const gathering = new Gathering();
    expect(gathering.isComplete(1)).toBe(true);
    gathering.expect(1, 0);
    expect(gathering.isComplete(1)).toBe(true);
  });

  it('waits for those that were just answered, beside those that wait', () => {
    const gathering = new Gathering();
    gathering.expect(8, 8);
    expect(gathering.isComplete(8)).toBe(false);
    expect(gathering.isComplete(15)).toBe(false);
    expect(gathering.isComplete(16)).toBe(true);
  });

  it('gives up after a while, and then waits for nobody during a hundred batches', () => {
    const gathering = new Gathering();
    gathering.expect(8, 8);
    expect(turnsUntilComplete(gathering, 8)).toBe(51);
    for (let batch = 1; batch < 100; batch += 1) {
      gathering.expect(8, 8);
      expect(gathering.isComplete(1)).toBe(true);
    }
    gathering.expect(8, 8);
    expect(gathering.isComplete(8)).toBe(false);
  });
});
