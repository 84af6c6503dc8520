// Why the tokens of a sender stay as they are. Apart from the code that changes them, which reads and writes configuration
// files: the operator API is also that of applications that have none.

/**
 * - `bad-id`: no sender can be called so.
 * - `demo`: there is no configuration that a token could be added to.
 * - `broken`: the configuration that is there has problems itself.
 * - `elsewhere`: another file, which a person wrote, has that sender; `detail` names it.
 * - `unknown`: there is no sender of that name.
 * - `several`: it has more than one token, as many as `detail` says, and nobody said which of them.
 * - `refused`: the configuration would not be taken with the change; `detail` has its problems, a line each.
 * - `unwritable`: the files cannot be written; `detail` is the code of the system.
 */
export type TokenRefusal =
  'bad-id' | 'demo' | 'broken' | 'elsewhere' | 'unknown' | 'several' | 'refused' | 'unwritable';

/** A change of a sender's tokens that was not made: everything is as it was. */
export class TokensUnchanged extends Error {
  override readonly name = 'TokensUnchanged';

  constructor(
    readonly why: TokenRefusal,
    readonly detail = '',
  ) {
    super(detail === '' ? why : `${why}: ${detail}`);
  }
}
