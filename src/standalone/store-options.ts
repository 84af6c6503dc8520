import { IsNotEmpty, IsString } from 'class-validator';
import { RetentionOptions } from '../hooks/index.ts';

/** The `store` section: where the data is, and how long it is kept. */
export class StoreOptions extends RetentionOptions {
  /** Data directory, relative to the configuration directory or absolute. Changing it needs a restart. */
  @IsString()
  @IsNotEmpty()
  dir = 'data';
}
