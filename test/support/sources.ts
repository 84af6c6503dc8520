import { bodyOf, readSample } from '../../src/hooks/senders/index.ts';
import { gitea } from './platforms/gitea.ts';
import { github } from './platforms/github.ts';
import { gitlab } from './platforms/gitlab.ts';
import type { PlatformSpeech } from './platforms/index.ts';

export type Json = Record<string, unknown>;

interface Source {
  readonly speech: PlatformSpeech;
  readonly sample: string;
  readonly to: string;
  readonly change: (body: Json, text: string, by: string, isPrivate: boolean) => Json;
}

const ofGitea = (body: Json, text: string, login: string, isPrivate: boolean): Json => ({
  ...body,
  issue: { ...(body['issue'] as Json), number: 7 },
  comment: { ...(body['comment'] as Json), id: Math.random(), body: text, user: { login } },
  repository: { ...(body['repository'] as Json), full_name: 'acme/shop', private: isPrivate },
  sender: { login, type: 'User' },
});

export const SOURCES: Readonly<Record<'github' | 'gitea' | 'gitlab', Source>> = {
  github: { speech: github, sample: 'issue_comment.created', to: 'acme/shop#7', change: ofGitea },
  gitea: { speech: gitea, sample: 'issue_comment', to: 'acme/shop#7', change: ofGitea },
  gitlab: {
    speech: gitlab,
    sample: 'note',
    to: 'acme/shop!12',
    change: (body, note, username, isPrivate) => ({
      ...body,
      user: { username, name: username },
      project: { ...(body['project'] as Json), visibility_level: isPrivate ? 0 : 20 },
      object_attributes: { ...(body['object_attributes'] as Json), id: Math.random(), note },
    }),
  },
};
export type SourceName = keyof typeof SOURCES;

interface Sent {
  readonly body: Json;
  readonly headers: Record<string, string>;
}

export function sampleOf(name: string, event: string): { body: string; headers: Sent['headers'] } {
  const sample = readSample(name, event)!;
  return { body: bodyOf(sample), headers: { ...sample.headers } };
}

const IDS = ['x-github-delivery', 'x-gitea-delivery', 'idempotency-key'];
let sent = 0;

export function commentOf(
  name: SourceName,
  text: string,
  { by = 'stranger', isPrivate = true } = {},
): Sent {
  const { sample, change } = SOURCES[name];
  const { headers, body } = sampleOf(name, sample);
  for (const id of IDS) if (id in headers) headers[id] = `d-${(sent += 1)}`;
  return { body: change(JSON.parse(body) as Json, text, by, isPrivate), headers };
}
