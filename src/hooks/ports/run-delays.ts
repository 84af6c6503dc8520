export abstract class RunDelays {
  /** Who is away, since when, and how many wait, with no word of a provider's own; undefined: it is not. @param backend {@link RunStory.waitsFor} */
  abstract describe(backend: string): Promise<string | undefined>;
}
