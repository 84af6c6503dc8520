import { getField } from '../../platform/objects.ts';
import { MappingOptions, OptionPlace } from '../options/index.ts';
import type { MappingAction, Problem } from '../options/index.ts';
import { THINKING_LEVELS } from '../ports/index.ts';
import { findSessionKeyProblems } from './lint.ts';
import { keyOf } from './mapping.ts';
import type { CompiledMapping, MappingEntry } from './mapping.ts';
import { isStatic } from './template.ts';
import type { Template } from './template.ts';

const MAPPING = OptionPlace.of(MappingOptions).below(() => true);

function unreadBy(action: MappingAction): readonly string[] {
  return MAPPING.filter(({ traits }) => traits.appliesTo?.includes(action) === false).map(
    ({ key }) => key,
  );
}

export const UNREAD: Readonly<Record<MappingAction, readonly string[]>> = {
  wake: unreadBy('wake'),
  agent: unreadBy('agent'),
  deliver: unreadBy('deliver'),
  resume: unreadBy('resume'),
  ignore: unreadBy('ignore'),
};

/** Silence about fields that nobody reads would hide a mistake. What is in `found` is not said again. */
export function findMeaningless(
  { layers }: MappingEntry,
  kind: MappingAction,
  found: readonly Problem[],
): Problem[] {
  const article = kind === 'agent' || kind === 'ignore' ? 'an' : 'a';
  const message = `has no meaning for ${article} ${kind} action; remove it`;
  return layers.flatMap(({ key, mapping, actions }) =>
    UNREAD[kind]
      .filter((field) => getField(mapping, field) !== undefined)
      // What some cases of a preset read may stand over all of them.
      .filter((field) => [...actions].every((action) => UNREAD[action].includes(field)))
      .map((field) => ({ key: `${key}.${field}`, message }))
      .filter((problem) => !found.some(({ key: known }) => known === problem.key)),
  );
}

/** Which agent runs is never for a payload to say. */
export function findTemplatedAgent(entry: MappingEntry): Problem[] {
  if (entry.mapping.agentId?.includes('{{') !== true) return [];
  return [{ key: keyOf(entry, 'agentId'), message: 'is no template; write the id of an agent' }];
}

/** Silence would have the operator wait for replies that are never shown. */
export function findHiddenReply(entry: MappingEntry): Problem[] {
  const { exposeReply, sessionKey, sessionMode } = entry.mapping;
  if (exposeReply !== true || (sessionKey === undefined && sessionMode !== 'persistent')) return [];
  const field = sessionKey === undefined ? 'sessionMode' : 'sessionKey';
  const message = `must not be true beside ${field}: only replies of runs with a session of their own are shown; remove one of them`;
  return [{ key: keyOf(entry, 'exposeReply'), message }];
}

export function findTwoRecipients(entry: MappingEntry): Problem[] {
  const { reply, to, deliver } = entry.mapping;
  if (reply !== 'source') return [];
  const field = deliver === false ? 'deliver' : to === undefined ? undefined : 'to';
  if (field === undefined) return [];
  const message =
    "contradicts reply: 'source', which says where the reply goes; remove one of them";
  return [{ key: keyOf(entry, field), message }];
}

export function findStaticMistakes(
  entry: MappingEntry,
  templates: CompiledMapping['templates'],
  allowedSessionKeyPrefixes: readonly string[],
): Problem[] {
  const { messageTemplate, textTemplate, sessionKey, thinking } = templates;
  return [
    ...findBlankText(keyOf(entry, 'messageTemplate'), messageTemplate),
    ...findBlankText(keyOf(entry, 'textTemplate'), textTemplate),
    ...findSessionKeyProblems(keyOf(entry, 'sessionKey'), sessionKey, allowedSessionKeyPrefixes),
    ...findUnknownThinking(keyOf(entry, 'thinking'), thinking),
  ];
}

/** A text that is blank for every request is the operator's mistake and not a sender's. */
function findBlankText(key: string, template: Template | undefined): Problem[] {
  if (template === undefined || !isStatic(template)) return [];
  if (template.literalStart.trim() !== '') return [];
  const message = 'must not be blank; write a text, or remove the key to show the payload';
  return [{ key, message }];
}

function findUnknownThinking(key: string, template: Template | undefined): Problem[] {
  if (template === undefined || !isStatic(template)) return [];
  const text = template.literalStart.trim();
  if (text === '' || THINKING_LEVELS.some((level) => level === text)) return [];
  return [{ key, message: `must be one of ${THINKING_LEVELS.join(', ')}` }];
}
