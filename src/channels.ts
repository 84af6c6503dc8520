/** Channels: where replies are delivered. Bring your own by extending `Channel`, or use one of these. */
import './platform/required-node.ts';
export type { CommentOptions } from './adapters/channels/comments.ts';
export { discord } from './adapters/channels/discord.ts';
export type { DiscordOptions } from './adapters/channels/discord.ts';
export { gitea } from './adapters/channels/gitea.ts';
export type { GiteaOptions } from './adapters/channels/gitea.ts';
export { github } from './adapters/channels/github.ts';
export type { GitHubOptions } from './adapters/channels/github.ts';
export { gitlab } from './adapters/channels/gitlab.ts';
export type { GitLabOptions } from './adapters/channels/gitlab.ts';
export { imessage } from './adapters/channels/imessage.ts';
export type { IMessageOptions } from './adapters/channels/imessage.ts';
export { jira } from './adapters/channels/jira.ts';
export type { JiraOptions } from './adapters/channels/jira.ts';
export { linear } from './adapters/channels/linear.ts';
export type { LinearOptions } from './adapters/channels/linear.ts';
export { mattermost } from './adapters/channels/mattermost.ts';
export type { MattermostOptions } from './adapters/channels/mattermost.ts';
export { msteams } from './adapters/channels/msteams.ts';
export type { TeamsOptions } from './adapters/channels/msteams.ts';
export { signal } from './adapters/channels/signal.ts';
export type { SignalOptions } from './adapters/channels/signal.ts';
export { slack } from './adapters/channels/slack.ts';
export type { SlackOptions } from './adapters/channels/slack.ts';
export { telegram } from './adapters/channels/telegram.ts';
export type { TelegramOptions } from './adapters/channels/telegram.ts';
export { webhook } from './adapters/channels/webhook.ts';
export type { WebhookOptions } from './adapters/channels/webhook.ts';
export { whatsapp } from './adapters/channels/whatsapp.ts';
export type { WhatsAppOptions } from './adapters/channels/whatsapp.ts';
export { CHANNEL_IDS, Channel, DeliveryError } from './hooks/ports/index.ts';
export type {
  Buttons,
  ChannelBinding,
  ChannelBindings,
  ChannelId,
  DeliveryFailure,
  HeardTaps,
  OutgoingMessage,
  Tap,
  TapPolling,
} from './hooks/ports/index.ts';
export type { Hours } from './platform/hours.ts';
