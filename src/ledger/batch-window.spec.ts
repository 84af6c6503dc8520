import { BatchWindow } from './batch-window.ts';

/** Turns until the batch is sent, while `waiting` callers wait. */
function turnsUntilComplete(window: BatchWindow, waiting: number): number {
  let turns = 1;
  while (!window.isComplete(waiting)) turns += 1;
  return turns;
}

describe('BatchWindow', () => {
  it('never keeps the first caller, nor one that is alone', () => {
    const window = new BatchWindow();
    expect(window.isComplete(1)).toBe(true);
    window.open(1, 0);
    expect(window.isComplete(1)).toBe(true);
  });

  it('waits for those that were just answered, beside those that wait', () => {
    const window = new BatchWindow();
    window.open(8, 8);
    expect(window.isComplete(8)).toBe(false);
    expect(window.isComplete(15)).toBe(false);
    expect(window.isComplete(16)).toBe(true);
  });

  /** Waits in vain, then counts the batches that are sent at once. */
  function batchesWithoutWait(window: BatchWindow): number {
    window.open(8, 8);
    expect(turnsUntilComplete(window, 8)).toBe(51);
    let batches = 0;
    for (;;) {
      window.open(8, 8);
      if (!window.isComplete(8)) return batches;
      batches += 1;
    }
  }

  it('gives up after a while, and then waits less and less often for those that do not come', () => {
    const window = new BatchWindow();
    const pauses = Array.from({ length: 10 }, () => batchesWithoutWait(window));
    expect(pauses).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 127, 127]);
  });

  it('waits again for each batch once they have come', () => {
    const window = new BatchWindow();
    for (let n = 0; n < 10; n += 1) batchesWithoutWait(window);
    window.open(8, 8);
    expect(window.isComplete(16)).toBe(true);
    expect(batchesWithoutWait(window)).toBe(0);
  });
});
