// Apart from the code that reads and writes files: the operator API is also that of applications that have none.

/**
 * - `bad-id`: nothing of that kind can be called so.
 * - `demo`: there is no configuration that anything could be added to.
 * - `broken`: the configuration that is there has problems itself.
 * - `elsewhere`: another file, which a person wrote, has that sender; `detail` names it.
 * - `foreign`: the file that would be written is a person's; `detail` names it.
 * - `changed`: somebody else has written that file meanwhile; `detail` names it.
 * - `several`: it has more than one token, as many as `detail` says.
 * - `takes-no-secret`, `no-secret-yet`, `another-secret`: of the secrets of a sender, whose name `detail` has.
 * - `secrets-elsewhere`: they belong to the mapping of a person, whose place `detail` says.
 * - `refused`: the configuration would not be taken with the change; `detail` has its problems, a line each.
 * - `unwritable`: the files cannot be written; `detail` is the code of the system.
 */
export type WhyUnchanged =
  | 'bad-id'
  | 'demo'
  | 'broken'
  | 'elsewhere'
  | 'foreign'
  | 'changed'
  | 'unknown'
  | 'several'
  | 'takes-no-secret'
  | 'no-secret-yet'
  | 'another-secret'
  | 'secrets-elsewhere'
  | 'refused'
  | 'unwritable';

export class ConfigurationUnchanged extends Error {
  override readonly name = 'ConfigurationUnchanged';

  constructor(
    readonly why: WhyUnchanged,
    readonly detail = '',
  ) {
    super(detail === '' ? why : `${why}: ${detail}`);
  }
}
