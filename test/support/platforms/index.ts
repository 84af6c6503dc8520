import { discord } from './discord.ts';
import { gitea } from './gitea.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { imessage, imessageOn } from './imessage.ts';
import { jira } from './jira.ts';
import { linear } from './linear.ts';
import { mattermost } from './mattermost.ts';
import { msteams } from './msteams.ts';
import type { PlatformSpeech } from './platform.ts';
import { signal, signalRest } from './signal.ts';
import { slack } from './slack.ts';
import { telegram } from './telegram.ts';
import { whatsapp, whatsappTemplate } from './whatsapp.ts';

export * from './platform.ts';

/** In the order of the default binding, after each the other ways to speak with it; then those that comment. */
export const PLATFORMS: readonly (readonly [string, PlatformSpeech])[] = [
  ['whatsapp', whatsapp],
  ['whatsapp by template', whatsappTemplate],
  ['telegram', telegram],
  ['discord', discord],
  ['slack', slack],
  ['mattermost', mattermost],
  ['signal', signal],
  ['signal over REST', signalRest],
  ['imessage', imessage],
  ['imessage on macOS 15', imessageOn('15.7')],
  ['msteams', msteams],
  ['github', github],
  ['gitlab', gitlab],
  ['gitea', gitea],
  ['linear', linear],
  ['jira', jira],
];
