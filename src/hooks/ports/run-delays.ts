/** What runs wait for, as their senders are told it. */
export abstract class RunDelays {
  /** Who is away, since when, and how many wait, with no word of a provider's own; undefined: nobody is. @param error of a run that waits */
  abstract describe(error: string): Promise<string | undefined>;
}
