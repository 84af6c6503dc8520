/** Work for one mail has no budget left: what has not been looked at by then is uncertain. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget';
}

/** Steps of work for one mail: counted, so that it is the same on each machine. Erasable syntax only. */
export class Budget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** @throws OverBudget */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new OverBudget();
  }
}
