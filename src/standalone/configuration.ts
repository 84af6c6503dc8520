import type { HooksSettingsInput, Problem } from '../hooks/index.ts';
import type { MailOptions } from '../mail/index.ts';
import type { Bindings } from './channel-bindings.ts';
import type { ConfigurationFiles } from './configuration-files.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { OpsOptions } from './ops-options.ts';
import type { StoreOptions } from './store-options.ts';
import type { Sections } from './json5-document.ts';
import type { Environment } from './variables.ts';

/** Everything the service was told, checked and complete. Never changed; a reload makes a new one. */
export interface Configuration {
  readonly dir: string;
  /** True: there is no gateway.json5, the service shows itself with tokens of its own. */
  readonly isDemo: boolean;
  readonly gateway: GatewayOptions;
  /** The operator's token: `gateway.auth.token`, or the one that was generated. */
  readonly operatorToken: string;
  /** Where the operator's token is kept, when it was generated. */
  readonly operatorTokenFile: string | undefined;
  /** Where the hook token is kept, when it was generated (demo only). */
  readonly hookTokenFile: string | undefined;
  /** `dir` is absolute. */
  readonly store: StoreOptions;
  readonly channels: Bindings;
  readonly ops: OpsOptions;
  /** The `hooks`, `agents` and `models` sections and their neighbours, as the hooks module takes them. */
  readonly hooks: HooksSettingsInput;
  /** `hooks.mail`, when there is one; its part of the mapping `mail` is in `hooks`. */
  readonly mail: MailOptions | undefined;
  /** The environment, `.env` included. */
  readonly env: Environment;
  /** What it was read from. */
  readonly files: ConfigurationFiles;
  /** The sections as written, variables replaced. */
  readonly sections: Sections;
  /** What is allowed but should be looked at. */
  readonly warnings: readonly Problem[];
}
