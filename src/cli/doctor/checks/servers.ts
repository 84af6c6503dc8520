import { ConnectionCheckError } from '../../../mail/index.ts';
import type { ConnectionCheck, MailOptions } from '../../../mail/index.ts';
import { channelAddresses, modelAddresses } from '../../../service/index.ts';
import { asShortLine } from '../../foreign-text.ts';
import { error, info, ok, warning } from '../check.ts';
import type { Check, CheckResult, SoundContext } from '../check.ts';
import { checkServers } from '../reach.ts';

/** Whether the servers of models and other gateways can be reached. No model is asked: nothing is paid for. */
export const models: Check = {
  name: 'models',
  needs: 'network',
  run: (context) =>
    checkServers(
      // Without a configuration the demo agent answers where there is no Ollama.
      context.inspection.isDemo ? [] : modelAddresses(context.resolved.effective),
      context,
      'no provider is configured: only a local Ollama and programs can run',
    ),
};

/** Whether the platforms of the channels can be reached. Nothing is sent to anybody; `POST /ops/api/channels/:id/test` does. */
export const channels: Check = {
  name: 'channels',
  needs: 'network',
  run: (context) =>
    checkServers(
      channelAddresses(context.inspection.sections['channels']),
      context,
      'none is configured: replies stay in their sessions',
    ),
};

const LONGEST_NAME = 40;

/** Whether the mailboxes of `hooks.mail` can be read. Nothing in them changes, and a refresh token is never spent. */
export const mailbox: Check = {
  name: 'mailbox',
  needs: 'network',
  run: async (context) => {
    const { mail } = context.resolved;
    if (mail === undefined) return [info('no mailbox is watched (hooks.mail)')];
    if (mail.auth?.oauth2 !== undefined) return [NOT_SPENT];
    return [await tried(mail, context)];
  },
};

/** Some providers give a new refresh token for each use, and only the watcher keeps it. */
const NOT_SPENT = info(
  'hooks.mail: not logged in, which would spend the refresh token',
  'the running watcher tells: /ops/api/mail and /health/ready',
);

async function tried(mail: MailOptions, { tryMail }: SoundContext): Promise<CheckResult> {
  try {
    return ok(`hooks.mail: logged in; ${counts(await tryMail(mail))}`);
  } catch (failure) {
    if (!(failure instanceof ConnectionCheckError)) throw failure;
    const what = `hooks.mail: ${asShortLine(failure.reason, 120)}`;
    if (failure.kind === 'connection') {
      return warning(what, 'check hooks.mail.host and port, and the network');
    }
    return error(what, 'run hooks mail setup, which tries until it works');
  }
}

function counts({ mailboxes }: ConnectionCheck): string {
  return mailboxes
    .map(({ mailbox: name, messages }) => `${asShortLine(name, LONGEST_NAME)} (${messages})`)
    .join(', ');
}
