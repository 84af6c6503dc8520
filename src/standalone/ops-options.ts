import { IsBoolean } from 'class-validator';

/** The `ops` section. Changing it needs a restart. */
export class OpsOptions {
  /** True: the operator API answers other machines, too (with the operator token). False: loopback only. */
  @IsBoolean()
  exposed = false;
}
