import { randomBytes } from 'node:crypto';
import { getField, getText } from '../../platform/objects.ts';
import type { ChannelProviderName, TokenQuestion } from '../../service/index.ts';
import { CliError } from '../cli-error.ts';
import type { Terminal } from '../terminal.ts';
import { askPlatform, words } from './setup-part.ts';

// Methods and fields are those of the platforms' own references.

export interface Recipient {
  /** As `channels.<id>.to` has it. */
  readonly to: string;
  readonly name: string;
}

interface BotApi {
  readonly label: string;
  /** Without a slash at its end. */
  readonly root: string;
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

export interface Platform {
  readonly label: string;
  readonly provider: ChannelProviderName;
  readonly variable: string;
  readonly where: string;
  readonly name: (answer: unknown) => string;
  /** Whom it can write to, as far as it may be told. @param bot its name */
  readonly recipients: (api: BotApi, bot: string) => Promise<readonly Recipient[]>;
}

const WAIT_MS = 600_000;
/** How long Telegram holds a question until there is news, in seconds. */
const POLL_S = 25;
const UPDATES = encodeURIComponent(JSON.stringify(['message', 'callback_query']));
const TAP_AGAIN = 'The bot is being set up; tap again in a minute.';

export const PLATFORMS: Readonly<Record<string, Platform>> = {
  telegram: {
    label: 'Telegram',
    provider: 'telegram',
    variable: 'TELEGRAM_TOKEN',
    where: 'Write /newbot to @BotFather in Telegram; it answers with the token of your bot.',
    name: (answer) => `@${say(answer, 'result', 'username')}`,
    recipients: async (api, bot) => [await firstWriter(api, bot)],
  },
  slack: {
    label: 'Slack',
    provider: 'slack',
    variable: 'SLACK_TOKEN',
    where:
      'At api.slack.com/apps create an app with the bot scopes chat:write and channels:read, install it, and copy its bot token (xoxb-…).',
    name: (answer) => `${say(answer, 'user')} in ${say(answer, 'team')}`,
    async recipients(api) {
      const listed = await ask(api, '/users.conversations?exclude_archived=true&limit=200').catch(
        // Without the scope to list them a person types the id.
        () => undefined,
      );
      return list(getField(listed, 'channels')).map((one) => ({
        to: say(one, 'id'),
        name: `#${say(one, 'name')}`,
      }));
    },
  },
  discord: {
    label: 'Discord',
    provider: 'discord',
    variable: 'DISCORD_TOKEN',
    where:
      'At discord.com/developers/applications create an application, copy the token of its bot, and invite the bot to your server with the permission Send Messages.',
    name: (answer) => say(answer, 'username'),
    async recipients(api) {
      const servers = list(await ask(api, '/v10/users/@me/guilds'));
      const each = servers.map(async (server) => {
        const channels = list(await ask(api, `/v10/guilds/${say(server, 'id')}/channels`));
        return channels
          .filter((one) => getField(one, 'type') === 0)
          .map((one) => ({
            to: say(one, 'id'),
            name: `#${say(one, 'name')} (${say(server, 'name')})`,
          }));
      });
      return (await Promise.all(each)).flat();
    },
  },
  mattermost: {
    label: 'Mattermost',
    provider: 'mattermost',
    variable: 'MATTERMOST_TOKEN',
    where:
      'Integrations → Bot Accounts → Add Bot Account; copy its token, and add the bot to a team.',
    name: (answer) => `@${say(answer, 'username')}`,
    async recipients(api) {
      const teams = list(await ask(api, '/api/v4/users/me/teams'));
      const each = teams.map(async (team) => {
        const path = `/api/v4/users/me/teams/${say(team, 'id')}/channels`;
        return list(await ask(api, path))
          .filter((one) => say(one, 'display_name') !== '')
          .map((one) => ({
            to: say(one, 'id'),
            name: `${say(one, 'display_name')} (${say(team, 'display_name')})`,
          }));
      });
      return (await Promise.all(each)).flat();
    },
  },
};

/** @param question by which the platform shows whether it knows the token @throws CliError where it does not */
export async function askName(
  { name }: Platform,
  { label, token, signal }: BotApi,
  { url, method, headers }: TokenQuestion,
): Promise<string> {
  const { status, json } = await askPlatform(label, url, { method, headers, signal });
  if (status !== 200 || getField(json, 'ok') === false) throw refused(label, status, json, token);
  return name(json);
}

/** A fresh code keeps a stranger from getting the replies. https://core.telegram.org/bots/features#deep-linking */
async function firstWriter(api: BotApi, bot: string): Promise<Recipient> {
  const code = randomBytes(12).toString('hex');
  const name = bot.slice(1);
  const updates = `/bot${api.token}/getUpdates`;
  api.terminal.note(`Open https://t.me/${name}?start=${code} and press Start.`);
  api.terminal.note(`For a group: https://t.me/${name}?startgroup=${code}`);
  const until = Date.now() + WAIT_MS;
  for (let offset = 0; Date.now() < until;) {
    const asked = `${updates}?offset=${offset}&timeout=${POLL_S}&allowed_updates=${UPDATES}`;
    // A service that waits for taps gives way to who asks after it, and asks again only after a minute.
    const answer = await ask(api, asked).catch((error: unknown) => {
      if (!(error instanceof BotTaken)) throw error;
      return ask(api, asked);
    });
    for (const update of list(getField(answer, 'result'))) {
      offset = Math.max(offset, Number(getField(update, 'update_id')) + 1);
      const tap = say(update, 'callback_query', 'id');
      if (tap !== '') {
        const told = `callback_query_id=${tap}&text=${encodeURIComponent(TAP_AGAIN)}`;
        await ask(api, `/bot${api.token}/answerCallbackQuery?${told}`).catch(() => undefined);
      }
      const text = say(update, 'message', 'text');
      const chat = getField(update, 'message', 'chat');
      if (!new RegExp(`^/start(?:@\\w+)? ${code}$`).test(text)) continue;
      // So that the answer to a later question does not hold this one again.
      await ask(api, `${updates}?offset=${offset}&timeout=0`);
      return {
        to: String(getField(chat, 'id')),
        name: say(chat, 'title') || say(chat, 'first_name'),
      };
    }
  }
  throw new CliError(
    'Nobody has started the bot by that link.',
    'Run the command again, or give the chat id with --to.',
  );
}

/** @throws CliError where the platform refuses: Slack and Telegram say so in the body. */
async function ask(
  { label, root, token, headers, signal }: BotApi,
  path: string,
): Promise<unknown> {
  const timeoutMs = (POLL_S + 10) * 1000;
  const { status, json } = await askPlatform(label, root + path, { headers, timeoutMs, signal });
  if (status === 200 && getField(json, 'ok') !== false) return json;
  throw refused(label, status, json, token);
}

function refused(label: string, status: number, json: unknown, token: string): CliError {
  const [why] = ['description', 'error', 'message'].flatMap((name) => getText(json, name) ?? []);
  const reason = words(why, token);
  if (status === 409) {
    return new BotTaken(
      `${label} does not say who writes to the bot: ${reason}`,
      'The bot is used elsewhere: make one of its own for this service, or give the chat id with --to.',
    );
  }
  return new CliError(
    `${label} refused the token (${status}): ${reason}`,
    'Nothing was written; copy the token once more and run the command again.',
  );
}

class BotTaken extends CliError {}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text of an answer; '' for what is none. */
function say(value: unknown, ...path: [string, ...string[]]): string {
  return getText(value, ...path) ?? '';
}
