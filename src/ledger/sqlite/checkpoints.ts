import type { GroupHead, LogState } from './protocol.ts';

/** Pages that are moved into the database together, 8 MB: what is written again and again meanwhile is moved once. */
const PAGES = 2000;
/** From here on groups wait for a checkpoint that is under way, 48 MB. */
const MOST_PAGES = 12_000;
/** Looks at the log between two attempts to empty it of what was forgotten, while somebody reads in it. */
const LOOKS = { least: 4, most: 128 };

interface CheckpointParts {
  move(): Promise<unknown>;
  /** Keeps groups waiting. @returns what ends that */
  hold(): () => void;
  /** Makes a group, if there is nothing to do. */
  nudge(): void;
}

/** The reader thread moves the log's pages beside the groups; the host moves the rest, so that the log begins anew. */
export class Checkpoints {
  readonly #parts: CheckpointParts;
  #told: GroupHead['checkpoint'] = 'none';
  #isUnderWay = false;
  #release: (() => void) | null = null;
  #from = PAGES;
  #looks = 0;
  #pause = LOOKS.least;

  constructor(parts: CheckpointParts) {
    this.#parts = parts;
  }

  take(): GroupHead['checkpoint'] {
    const told = this.#told;
    this.#told = this.#isUnderWay ? 'begun' : 'none';
    return told;
  }

  /** While no group is under way: none may see the database change without having been told. */
  note({ pages, holdsForgotten }: LogState): void {
    if (pages < PAGES) this.#from = PAGES;
    if (!holdsForgotten) this.#pause = LOOKS.least;
    if (this.#isUnderWay) {
      if (pages >= MOST_PAGES) this.#release ??= this.#parts.hold();
      return;
    }
    this.#looks -= 1;
    const isToBeEmptied = holdsForgotten && this.#looks <= 0;
    if (pages < this.#from && !isToBeEmptied) return;
    this.#from = pages + PAGES;
    if (holdsForgotten) {
      this.#looks = this.#pause;
      this.#pause = Math.min(this.#pause * 2, LOOKS.most);
    }
    void this.#run(holdsForgotten);
  }

  async #run(isNudging: boolean): Promise<void> {
    this.#isUnderWay = true;
    this.#told = 'begun';
    try {
      await this.#parts.move();
      this.#told = 'ended';
    } catch {
      // The reader cannot be asked, or the disk is in trouble: the log grows, and a later look tries again.
    }
    this.#isUnderWay = false;
    this.#release?.();
    this.#release = null;
    if (isNudging) this.#parts.nudge();
  }
}
