import type { Preview, PreviewedAction } from '../../hooks/index.ts';
import { asLine, asLines } from '../foreign-text.ts';
import { nameOf } from '../story/moments.ts';
import { PLAIN } from '../story/paint.ts';
import type { Paint } from '../story/paint.ts';
import { fieldLines, section } from '../story/story-lines.ts';

/** A preview as an operator reads it. */
export function previewLines(preview: Preview, paint: Paint = PLAIN): string[] {
  const { considered, actions, warnings, console, refusal, failure, ms } = preview;
  const refused =
    refusal === null ? [] : [`${refusal.status} ${refusal.code}: ${asLine(refusal.error)}`];
  return [
    ...headLines(preview, paint),
    ...section('Mappings, in the order they are tried', considered.map(consideredLine), paint),
    ...section('It would be refused', refused, paint),
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
  const taker = mapping === null ? noMapping(considered.length) : `mapping ${asLine(mapping)}`;
  return [`${paint('bold', `Hook ${asLine(hook)}`)} (${taker}): ${verdict}`];
}

function noMapping(considered: number): string {
  return considered === 0 ? 'no mapping is asked' : 'no mapping takes it';
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
