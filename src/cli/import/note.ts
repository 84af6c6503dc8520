/** Something of the reference's configuration that is not carried over as it was, or that a person should look at. */
export interface Note {
  /** Its key there. */
  readonly key: string;
  /** Why it is not carried over, or what became of it. Never holds a secret. */
  readonly reason: string;
  /** What to do about it; undefined: nothing. */
  readonly todo?: string;
}
