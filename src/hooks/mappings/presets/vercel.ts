import { report } from './preset.ts';
import type { Preset } from './preset.ts';

// Vercel's events have a field `payload`, which is also the name of the whole.
const EVENT = 'payload.payload';
const META = `${EVENT}.deployment.meta`;

/**
 * Vercel, account webhooks: deployments that failed. Those that began, succeeded, were promoted or cancelled are not
 * taken: each push makes three of them. Why a deployment failed is not among what Vercel sends; its log is behind the
 * link.
 */
export const vercel: Preset = {
  id: 'vercel',
  match: { path: 'vercel' },
  verify: { scheme: 'vercel' },
  setup: [
    'Team (Pro or Enterprise) → Settings → Webhooks → Create Webhook: event Deployment Error, the projects, Endpoint {url}.',
    'Copy the secret, which is shown this once: it is the signing secret.',
  ],
  name: 'Vercel',
  task: report(
    'A hosting service (Vercel) reports that a deployment failed.',
    'Tell the person you serve in at most two short sentences which project and target it is, on which branch and after which change of whom; a failure of production comes first and plainly, any other is a preview and can wait.',
    'Name the link under which the log is.',
  ),
  when: { 'payload.type': 'deployment.error' },
  messageTemplate: [
    'Vercel: {{ type }}',
    `Project: {{ ${EVENT}.project.name || ${EVENT}.deployment.name }}`,
    `Target: {{ ${EVENT}.target }}`,
    `Branch: {{ ${META}.githubCommitRef || ${META}.gitlabCommitRef || ${META}.bitbucketCommitRef }}`,
    `Change: {{ ${META}.githubCommitMessage || ${META}.gitlabCommitMessage || ${META}.bitbucketCommitMessage | max 500 }}`,
    `By: {{ ${META}.githubCommitAuthorName || ${META}.gitlabCommitAuthorName || ${META}.bitbucketCommitAuthorName }}`,
    `Commit: {{ ${META}.githubCommitSha || ${META}.gitlabCommitSha || ${META}.bitbucketCommitSha }}`,
    `Deployment: {{ ${EVENT}.deployment.id }}`,
    `Log: {{ ${EVENT}.links.deployment }}`,
  ],
  sessionKey: `hook:vercel:{{ ${EVENT}.project.id || ${EVENT}.projectId }}`,
  dedupeKey: '{{ id }}',
};
