import { answer } from './preset.ts';
import type { Preset } from './preset.ts';

/** What a bot wrote, the app itself included, is never answered: two bots would talk for ever. */
const BY_A_PERSON = {
  'payload.type': 'event_callback',
  'payload.event.user': { exists: true },
  'payload.event.bot_id': { exists: false },
} as const;

const WORDS = [
  '{{ event.text | max 8000 }}',
  { each: 'event.files', line: 'File: {{ item.name }} ({{ item.mimetype }})', most: 10 },
];

/**
 * Slack Events API: mentions of the app in channels, and direct messages to it. A thread is one conversation, a direct
 * conversation another. Everything else that Slack sends (joins, edits, deletions, reactions, messages of bots) is not
 * taken. An answer is a message of the app and so arrives here again, as one of a bot: it ends there.
 */
export const slack: Preset = {
  id: 'slack',
  match: { path: 'slack' },
  verify: { scheme: 'slack' },
  setup: [
    'api.slack.com/apps → your app → Event Subscriptions → Enable Events, Request URL {url}.',
    'Subscribe to bot events: app_mention, and message.im for direct messages; no other message events.',
    'App Home → Show Tabs: Messages Tab on, and allow users to send messages from it.',
    'Install App → Reinstall to Workspace, and invite the app to the channels where it is to answer.',
    'Copy the Signing Secret (Basic Information → App Credentials). Slack verifies the Request URL once the gateway knows it: press Retry there.',
  ],
  name: 'Slack',
  task: answer(
    'Somebody in a Slack workspace writes to the app that you speak for, in a channel or directly.',
    'Words such as <@U061F7AUR> are mentions of people by their id; the one of the app itself is only how they called you.',
  ),
  sessionMode: 'persistent',
  dedupeKey: '{{ event_id }}',
  when: BY_A_PERSON,
  cases: [
    {
      id: 'slack-mention',
      when: { 'payload.event.type': 'app_mention' },
      messageTemplate: ['Slack: <@{{ event.user }}> in channel {{ event.channel }}', ...WORDS],
      sessionKey: 'hook:slack:{{ team_id }}:{{ event.channel }}:{{ event.thread_ts || event.ts }}',
    },
    {
      id: 'slack-im',
      when: {
        'payload.event.type': 'message',
        'payload.event.channel_type': 'im',
        // Other subtypes are edits, deletions and notices of Slack.
        or: [
          { 'payload.event.subtype': { exists: false } },
          { 'payload.event.subtype': 'file_share' },
        ],
      },
      messageTemplate: ['Slack: <@{{ event.user }}> in a direct message', ...WORDS],
      sessionKey: 'hook:slack:{{ team_id }}:{{ event.channel }}',
    },
  ],
};
