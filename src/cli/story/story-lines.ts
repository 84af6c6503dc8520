import type { EventStory, RunStory } from '../../hooks/index.ts';
import { asLine, asLines, safeJson } from '../foreign-text.ts';
import { momentsOf, nameOf } from './moments.ts';
import type { Moment } from './moments.ts';
import { PLAIN, paintedStatus } from './paint.ts';
import type { Paint } from './paint.ts';

const INDENT = '  ';

/** A whole story as an operator reads it; nothing of it can steer the terminal. */
export function storyLines(story: EventStory, paint: Paint = PLAIN): string[] {
  const { actions, runs, summary, console, request } = story;
  return [
    ...outcomeLines(story, paint),
    ...actions.flatMap((action, index) => {
      return section(nameOf('Action', index, actions), fieldLines(action), paint);
    }),
    ...runs.flatMap((run, index) => runLines(run, nameOf('Run', index, runs), paint)),
    ...section('Summary', summary === null ? [] : asLines(summary), paint),
    ...section('Console', console.flatMap(asLines), paint),
    ...section('Request', requestLines(request), paint),
  ];
}

/** What became of an event: its head and its timeline. */
export function outcomeLines(story: EventStory, paint: Paint = PLAIN): string[] {
  const { id, hook, status, mapping, receivedAt, request, warnings } = story;
  const replayOf = request.replayOf === undefined ? [] : [['replay of', asLine(request.replayOf)]];
  const facts = [
    ['hook', `${asLine(hook)}${mapping === null ? '' : ` (mapping ${asLine(mapping)})`}`],
    ['received', `${receivedAt}, verified by ${asLine(request.verifiedBy)}`],
    ...replayOf,
    ...warnings.map((warning) => ['warning', asLine(warning)]),
  ];
  return [
    `${paint('bold', `Event ${asLine(id)}`)} ${paintedStatus(status, paint)}`,
    ...facts.map(([name = '', value = '']) => `${INDENT}${name.padEnd(9)} ${value}`),
    ...section(
      'Timeline (UTC)',
      momentsOf(story).map((moment) => momentLine(moment, paint)),
      paint,
    ),
  ];
}

/** What the agents answered. */
export function replyLines({ runs }: EventStory, paint: Paint = PLAIN): string[] {
  return runs.flatMap(({ reply }, index) => {
    return reply === null ? [] : section(nameOf('Reply', index, runs), asLines(reply), paint);
  });
}

function momentLine({ at, what, isBad }: Moment, paint: Paint): string {
  const time = (at?.slice('2026-01-01T'.length, -1) ?? '').padEnd('17:40:12.123'.length);
  return `${paint('dim', time)}  ${isBad ? paint('red', what) : what}`;
}

function runLines(run: RunStory, name: string, paint: Paint): string[] {
  const { id, contract, warnings, toolCalls, prompt, reply } = run;
  const calls = toolCalls.flatMap(({ tool, input, outcome, result, ms }) => [
    `${asLine(tool)} ${outcome} in ${ms} ms`,
    ...asLines(input ?? '(forgotten)').map((line) => `${INDENT}${line}`),
    ...asLines(result ?? '(forgotten)').map((line) => `${INDENT}= ${line}`),
  ]);
  return [
    ...section(`${name} ${asLine(id)}`, contract === null ? [] : fieldLines({ contract }), paint),
    ...section(`${name}: warnings`, warnings.map(asLine), paint),
    ...section(`${name}: prompt`, textLines(prompt), paint),
    ...section(`${name}: tool calls`, calls, paint),
    ...section(`${name}: reply`, textLines(reply), paint),
  ];
}

function textLines(text: string | null): string[] {
  return text === null ? [] : asLines(text);
}

function requestLines({ path, query, headers, payload }: EventStory['request']): string[] {
  const body = payload === null ? 'null, or forgotten' : safeJson(payload, 2);
  return [...fieldLines({ path, query, headers }), 'payload:', ...asLines(body)];
}

/** `name: value`, a line each; nested values as JSON. */
export function fieldLines(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined || value === null) return [];
    return [`${asLine(name)}: ${typeof value === 'string' ? asLine(value) : safeJson(value)}`];
  });
}

/** A title with indented lines under it; nothing when there are none. */
export function section(title: string, lines: readonly string[], paint: Paint): string[] {
  if (lines.length === 0) return [];
  return ['', paint('bold', title), ...lines.map((line) => `${INDENT}${line}`.trimEnd())];
}
