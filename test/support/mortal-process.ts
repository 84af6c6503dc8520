export class Life {
  readonly over: Promise<void>;
  #end!: () => void;
  #left = Infinity;
  #awake = Infinity;
  #asleep = Promise.withResolvers<void>();
  #waking: PromiseWithResolvers<void> | null = null;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #gone = new AbortController();
  #isOver = false;

  constructor() {
    this.over = new Promise((resolve) => (this.#end = resolve));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** @param moments how many more it sees: each call has one before it is made, and one before its answer is heard */
  endAfter(moments: number): void {
    this.#left = moments;
  }

  /** @param moments how many more it sees until it stands still, as a process that is suspended does */
  sleepAfter(moments: number): void {
    this.#awake = moments;
  }

  get isAsleep(): boolean {
    return this.#waking !== null;
  }

  get asleep(): Promise<void> {
    return this.#asleep.promise;
  }

  wake(): void {
    this.#awake = Infinity;
    this.#asleep = Promise.withResolvers();
    this.#waking?.resolve();
    this.#waking = null;
  }

  kill(): void {
    this.endAfter(0);
    void this.moment();
  }

  async moment(): Promise<void> {
    this.#left -= 1;
    if (this.#left < 0 && !this.#isOver) {
      this.#isOver = true;
      this.#end();
      this.#gone.abort();
    }
    if (this.#isOver) await new Promise<never>(() => {});
    this.#awake -= 1;
    if (this.#awake >= 0) return;
    this.#waking ??= Promise.withResolvers();
    this.#asleep.resolve();
    await this.#waking.promise;
  }

  /** What a process calls: it may die before the call, and before it hears the answer. */
  async call<T>(act: () => Promise<T>): Promise<T> {
    await this.moment();
    const answering = act();
    this.#underWay.add(answering);
    try {
      const answer = await answering;
      await this.moment();
      return answer;
    } finally {
      this.#underWay.delete(answering);
    }
  }

  /** What had been asked before the end is done by then, and nobody hears of it. */
  async rest(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  mortal<T extends object>(port: T): T {
    return new Proxy(port, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          // What a dead process has waited for is given to nobody.
          const given = args.map((arg) =>
            arg instanceof AbortSignal ? AbortSignal.any([arg, this.#gone.signal]) : arg,
          );
          return this.call(async () => Reflect.apply(value, target, given) as Promise<unknown>);
        };
      },
    });
  }
}
