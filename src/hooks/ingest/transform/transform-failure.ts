/** The transform broke or took too long: nothing was made of the request, which is kept as failed. */
export class TransformFailure extends Error {
  override readonly name = 'TransformFailure';
  readonly code: 'transform_failed' | 'transform_timeout';
  /** Fit for a log: the error's class and place, no word of a payload. */
  readonly summary: string;
  /** What the transform wrote with `console`. */
  readonly console: readonly string[];

  /** @param message what the story says; may hold text of a payload. */
  constructor(
    code: 'transform_failed' | 'transform_timeout',
    message: string,
    { summary, console = [] }: { summary: string; console?: readonly string[] },
  ) {
    super(message);
    this.code = code;
    this.summary = summary;
    this.console = console;
  }
}
