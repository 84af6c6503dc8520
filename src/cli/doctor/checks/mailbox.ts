import type { MailOptions, MailTrial } from '../../../mail/index.ts';
import { MailTrialError } from '../../../mail/index.ts';
import { asShortLine } from '../../foreign-text.ts';
import type { Check, SoundPatient } from '../check.ts';
import { error, info, ok, warning } from '../finding.ts';
import type { Found } from '../finding.ts';

const LONGEST_NAME = 40;

/** Whether the mailboxes of `hooks.mail` can be read. Nothing in them changes, and a refresh token is never spent. */
export const mailbox: Check = {
  name: 'mailbox',
  needs: 'network',
  run: async (patient) => {
    const { mail } = patient.resolved;
    if (mail === undefined) return [info('no mailbox is watched (hooks.mail)')];
    if (mail.auth?.oauth2 !== undefined) return [NOT_SPENT];
    return [await tried(mail, patient)];
  },
};

/** Some providers give a new refresh token for each use, and only the watcher keeps it. */
const NOT_SPENT = info(
  'hooks.mail: not logged in, which would spend the refresh token',
  'the running watcher tells: /ops/api/mail and /health/ready',
);

async function tried(mail: MailOptions, { tryMail }: SoundPatient): Promise<Found> {
  try {
    return ok(`hooks.mail: logged in; ${counts(await tryMail(mail))}`);
  } catch (failure) {
    if (!(failure instanceof MailTrialError)) throw failure;
    const what = `hooks.mail: ${asShortLine(failure.reason, 120)}`;
    if (failure.kind === 'connection') {
      return warning(what, 'check hooks.mail.host and port, and the network');
    }
    return error(what, 'run hooks mail setup, which tries until it works');
  }
}

function counts({ mailboxes }: MailTrial): string {
  return mailboxes
    .map(({ mailbox: name, messages }) => `${asShortLine(name, LONGEST_NAME)} (${messages})`)
    .join(', ');
}
