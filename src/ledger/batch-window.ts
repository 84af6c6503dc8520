/** Longest wait for the rest of a batch, in turns of the event loop; one takes a few microseconds when nothing comes. */
const MOST_TURNS = 50;
/** After waits in vain, one after the other, so many batches are sent at once: none, 1, 3, 7 … and always fewer than these. */
const MOST_BATCHES_WITHOUT_WAIT = 128;

/**
 * How long a batch is worth keeping open. Senders that wait for their answer before they send again come back together:
 * without a moment's wait they would fall into two groups for good, each with a commit and an fsync of its own.
 * No timer is involved, and a single sender never waits.
 */
export class BatchWindow {
  #expected = 0;
  #turns = 0;
  #batchesWithoutWait = 0;
  #pause = 1;

  /** Begins a batch: `answered` callers may be back in a moment, `waiting` others are here already. */
  open(answered: number, waiting: number): void {
    this.#turns = 0;
    if (this.#batchesWithoutWait > 0) this.#batchesWithoutWait -= 1;
    this.#expected = this.#batchesWithoutWait > 0 ? 0 : answered + waiting;
  }

  /** Asked once in each turn of the event loop, until it says yes. */
  isComplete(waiting: number): boolean {
    if (waiting >= this.#expected) {
      if (this.#expected > 1) this.#pause = 1;
      return true;
    }
    this.#turns += 1;
    if (this.#turns <= MOST_TURNS) return false;
    this.#batchesWithoutWait = this.#pause;
    this.#pause = Math.min(2 * this.#pause, MOST_BATCHES_WITHOUT_WAIT);
    return true;
  }
}
