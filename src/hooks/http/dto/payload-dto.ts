/** How the fields of a payload class are tidied before they are checked; blank and null always count as absent. */
export interface PayloadClass<T extends object> {
  new (): T;
  /** Fields kept exactly as sent; all other texts are trimmed. */
  readonly verbatim?: ReadonlySet<string>;
  /** Fields compared in lower case. */
  readonly caseFolded?: ReadonlySet<string>;
}
