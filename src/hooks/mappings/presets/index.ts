import { alertmanager } from './alertmanager.ts';
import { apprise } from './apprise.ts';
import { asana } from './asana.ts';
import { bitbucket } from './bitbucket.ts';
import { calendly } from './calendly.ts';
import { datadog } from './datadog.ts';
import { discord } from './discord.ts';
import { generic } from './generic.ts';
import { gitea } from './gitea.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { grafana } from './grafana.ts';
import { healthchecks } from './healthchecks.ts';
import { homeAssistant } from './home-assistant.ts';
import { intercom } from './intercom.ts';
import { jenkins } from './jenkins.ts';
import { jira } from './jira.ts';
import { linear } from './linear.ts';
import { mail } from './mail.ts';
import { netlify } from './netlify.ts';
import { notion } from './notion.ts';
import { pagerduty } from './pagerduty.ts';
import { postmark } from './postmark.ts';
import { proxmox } from './proxmox.ts';
import { resend } from './resend.ts';
import { sentry } from './sentry.ts';
import { radarr, sonarr } from './servarr.ts';
import { shopify } from './shopify.ts';
import { slack } from './slack.ts';
import { stripe } from './stripe.ts';
import { telegram } from './telegram.ts';
import { twilio } from './twilio.ts';
import { typeform } from './typeform.ts';
import { uptimeKuma } from './uptime-kuma.ts';
import { vercel } from './vercel.ts';
import { zendesk } from './zendesk.ts';
import type { Preset } from './preset.ts';

const ALL: readonly Preset[] = [
  mail,
  alertmanager,
  grafana,
  sentry,
  pagerduty,
  datadog,
  github,
  gitea,
  gitlab,
  bitbucket,
  jira,
  linear,
  asana,
  notion,
  jenkins,
  vercel,
  netlify,
  uptimeKuma,
  homeAssistant,
  proxmox,
  sonarr,
  radarr,
  apprise,
  healthchecks,
  stripe,
  shopify,
  slack,
  telegram,
  discord,
  twilio,
  typeform,
  calendly,
  intercom,
  zendesk,
  postmark,
  resend,
  generic,
];

/** The reply of each is a message already; its summary waits for the next heartbeat instead of asking for one. */
const WAITS = { wakeMode: 'next-heartbeat' } as const;

/**
 * Every built-in mapping by the name that `hooks.presets` uses. A preset is data: a mapping with the samples of its
 * vendor and the steps to take at the sender. None is in force unless the configuration names it, and a mapping with
 * its id merges over it, field by field. Their order is that of docs/presets.md.
 */
export const presets: ReadonlyMap<string, Preset> = new Map(
  ALL.map((preset) => [preset.id, Object.assign({}, WAITS, preset)]),
);
