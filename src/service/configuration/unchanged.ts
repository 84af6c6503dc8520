// Apart from the code that reads and writes files: the operator API is also that of applications that have none.

/**
 * `elsewhere`, `foreign`, `changed`: `detail` names the file; `several`: it counts tokens; `refused`: it has problems,
 * a line each; `unwritable`: it is the system's code.
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
