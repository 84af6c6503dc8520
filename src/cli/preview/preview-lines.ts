import type { Preview, PreviewedAction } from '../../hooks/index.ts';
import { asLine, asLines } from '../foreign-text.ts';
import { nameOf } from '../story/moments.ts';
import { PLAIN } from '../story/paint.ts';
import type { Paint } from '../story/paint.ts';
import { fieldLines, section } from '../story/story-lines.ts';

const UNKNOWN_HOOK = 'unknown_hook';

/** A preview as an operator reads it. */
export function previewLines(preview: Preview, paint: Paint = PLAIN): string[] {
  const { considered, actions, warnings, console, refusal, failure, ms } = preview;
  return [
    ...headLines(preview, paint),
    ...section('Mappings, in the order they are tried', considered.map(consideredLine), paint),
    ...section('It would be refused', refusalLines(refusal), paint),
    ...section('It would break', failure === null ? [] : asLines(failure), paint),
    ...actions.flatMap((action, index) =>
      actionLines(action, nameOf('Action', index, actions), paint),
    ),
    ...section('Warnings', warnings.map(asLine), paint),
    ...section('Console', console.flatMap(asLines), paint),
    '',
    paint('dim', `Nothing was stored, sent or run. Understood in ${ms} ms.`),
  ];
}

function headLines(
  { hook, mapping, considered, actions, refusal, failure }: Preview,
  paint: Paint,
): string[] {
  const isFine = refusal === null && failure === null;
  const many = actions.length === 1 ? '1 action' : `${actions.length} actions`;
  const verdict = isFine ? paint('green', many) : paint('red', 'refused or broken');
  const isAsked = considered.length > 0 || refusal?.code === UNKNOWN_HOOK;
  const taker = mapping === null ? noMapping(isAsked) : `mapping ${asLine(mapping)}`;
  return [`${paint('bold', `Hook ${asLine(hook)}`)} (${taker}): ${verdict}`];
}

function noMapping(isAsked: boolean): string {
  return isAsked ? 'no mapping takes it' : 'no mapping is asked';
}

function refusalLines(refusal: Preview['refusal']): string[] {
  if (refusal === null) return [];
  const { status, code, error } = refusal;
  const lines = [`${status} ${code}: ${asLine(error)}`];
  return code === UNKNOWN_HOOK ? [...lines, 'Is its preset in hooks.presets?'] : lines;
}

function consideredLine({ mapping, takes, because }: Preview['considered'][number]): string {
  return `${takes ? 'takes it' : 'passes  '}  ${asLine(mapping)}: ${asLine(because)}`;
}

function actionLines({ prompt, ...fields }: PreviewedAction, name: string, paint: Paint): string[] {
  return [
    ...section(name, fieldLines(fields), paint),
    ...section(`${name}: prompt, word for word`, asLines(prompt), paint),
  ];
}
