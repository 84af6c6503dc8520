import type { Check } from './check.ts';
import { burst } from './checks/burst.ts';
import { channels } from './checks/channels.ts';
import { configuration } from './checks/configuration.ts';
import { disk } from './checks/disk.ts';
import { exposure } from './checks/exposure.ts';
import { files } from './checks/files.ts';
import { mailbox } from './checks/mailbox.ts';
import { models } from './checks/models.ts';
import { node } from './checks/node.ts';
import { programs } from './checks/programs.ts';
import { proxies } from './checks/proxies.ts';
import { ruleOfTwo } from './checks/rule-of-two.ts';
import { tokens } from './checks/tokens.ts';
import { transforms } from './checks/transforms.ts';
import { unsafeContent } from './checks/unsafe-content.ts';

/** Everything that is looked at, in this order. A new check is one file and one row. */
export const CHECKS: readonly Check[] = [
  node,
  configuration,
  tokens,
  exposure,
  proxies,
  files,
  disk,
  transforms,
  programs,
  channels,
  mailbox,
  models,
  ruleOfTwo,
  unsafeContent,
  burst,
];
