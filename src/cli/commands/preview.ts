import type { Preview, PreviewedAction } from '../../hooks/index.ts';
import { senderPath } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { defineCommand, option, wholeNumber } from '../command.ts';
import type { CommandContext, OptionValues } from '../command.ts';
import { asLine, asLines } from '../foreign-text.ts';
import { REQUEST_OPTIONS, hookName, readPayload } from '../request-input.ts';
import { SAMPLE_ARGUMENT, findSample, showSamples } from '../senders/sample-post.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';
import type { BodyOf } from '../service/operations.ts';
import { fieldLines, numberedName, paintFor, section } from '../text-layout.ts';
import type { Paint } from '../text-layout.ts';
import { previewRecent } from './preview-recent.ts';

/* By what is in force in the running service. Nothing is stored, no key is used up and no agent is asked. */

const UNKNOWN_HOOK = 'unknown_hook';

type PreviewAsked = BodyOf<'POST /ops/api/preview'>;

/** The request comes from the flags or from an event, never from both. */
const OPTIONS = [
  option('--event <id>', 'take the request of an earlier event instead'),
  option(
    '--recent <count>',
    'try the newest stored events, 1 to 1000, with the configuration of --config',
    wholeNumber('--recent', 1, 1000),
  ),
  option('--config <directory>', 'another configuration, with a gateway.json5 of its own'),
  ...REQUEST_OPTIONS,
  ...SERVICE_OPTIONS,
] as const;

/** Asks the service, which has the mappings and transforms in force. Ends with 1 when the request would be refused or break. */
export const preview = defineCommand({
  name: 'preview',
  description: 'show what would become of a request, without any effect',
  arguments: [['[hook]', 'wake, agent, the path of a mapping, or a preset'], SAMPLE_ARGUMENT],
  options: OPTIONS,
  examples: [
    ['hooks preview github --payload push.json', 'which mapping takes it, and the exact prompt'],
    ['hooks preview github issues.opened', "the same for one of GitHub's own samples"],
    ['hooks preview github', 'which samples there are'],
    ['hooks preview --event 0198c5c2-…', 'what would become of an earlier request today'],
    ['hooks preview github --payload - --json < push.json', 'exit code 1 when it is refused'],
    ['hooks preview --recent 100 --config ./new', 'what ./new makes of them; 1: something else'],
  ],
  async action(context, options, hook?: string, sample?: string) {
    const { terminal } = context;
    if (options.recent !== undefined || options.config !== undefined) {
      return previewRecent(context, options, hook);
    }
    const { event, header, json, payload, query } = options;
    const isOwn = [sample, event, header, payload, query].some((given) => given !== undefined);
    const settings = isOwn ? undefined : (await context.inspect()).resolved?.effective;
    const listed = { command: 'hooks preview', hook: hook ?? '', json, settings };
    if (!isOwn && hook !== undefined && showSamples(terminal, listed)) return;
    const service = await findService(context, options);
    const { hooksPath: prefix } = service;
    const ofSample =
      hook === undefined
        ? undefined
        : await sampleBody(context, options, hookName(hook, prefix), sample);
    const asked = ofSample ?? (await requestBody(context, options, hook, prefix));
    const answer = await service.ask('POST /ops/api/preview', 'considered', { body: asked });
    if (answer.refusal !== null || answer.failure !== null) terminal.exitCode = EXIT.failed;
    if (options.json === true) return terminal.printJson(answer);
    for (const line of previewLines(answer, paintFor(terminal))) terminal.print(line);
  },
});

/** The body of `POST /ops/api/preview`. @throws CliError unless it is either a hook or an event */
async function requestBody(
  { cwd, terminal }: CommandContext,
  { event, payload: file, header: headers, query }: OptionValues<typeof OPTIONS>,
  hook: string | undefined,
  prefix: string,
): Promise<PreviewAsked> {
  const own = [hook, file, headers, query].filter((given) => given !== undefined);
  if (event !== undefined && own.length === 0) return { event };
  if (event !== undefined || hook === undefined) {
    throw new CliError('Name either a hook or an --event.', undefined, EXIT.usage);
  }
  const name = hookName(hook, prefix);
  if (file === undefined) return { hook: name, headers, query };
  const source = { cwd, stdin: terminal.streams.stdin };
  const payload: unknown = JSON.parse((await readPayload(file, source)).toString());
  return { hook: name, payload, headers, query };
}

/** The same for a sample of a preset; undefined where the command line means another request. @throws CliError */
async function sampleBody(
  { inspect, terminal }: CommandContext,
  { event, payload, header, query, json }: OptionValues<typeof OPTIONS>,
  hook: string,
  name: string | undefined,
): Promise<PreviewAsked | undefined> {
  const isOwn = [event, payload, header, query].some((given) => given !== undefined);
  if (isOwn && name !== undefined) {
    throw new CliError('Name either a sample or a request of your own.', undefined, EXIT.usage);
  }
  const settings = (await inspect()).resolved?.effective;
  const named = { command: 'hooks preview', hook, json, settings };
  const found = await findSample(terminal, named, { name, isOwn });
  if (found === undefined) return undefined;
  const { headers, body, text } = found.sample;
  return { hook: senderPath(found.preset, settings?.hooks), payload: text ?? body, headers };
}

export function previewLines(preview: Preview, paint: Paint): string[] {
  const { considered, actions, rules, skipped, warnings, console, refusal, failure, ms } = preview;
  return [
    ...headLines(preview, paint),
    ...section('Mappings, in the order they are tried', consideredLines(considered), paint),
    ...section('It would be skipped', skipped === null ? [] : [asLine(skipped)], paint),
    ...section('It would be refused', refusalLines(refusal), paint),
    ...section('It would break', failure === null ? [] : asLines(failure), paint),
    ...actions.flatMap((action, index) =>
      actionLines(action, numberedName('Action', index, actions), paint),
    ),
    ...section('Rules', rules.map(asLine), paint),
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

/** What the sender would get, and a hint where a forgotten preset is the likely reason. */
function refusalLines(refusal: Preview['refusal']): string[] {
  if (refusal === null) return [];
  const { status, code, error } = refusal;
  const lines = [`${status} ${code}: ${asLine(error)}`];
  return code === UNKNOWN_HOOK
    ? [...lines, 'Is its preset in hooks.presets? See: hooks setup']
    : lines;
}

/** Those of the request's path; mappings of other paths matter only where there is none. */
function consideredLines(considered: Preview['considered']): string[] {
  const near = considered.filter(({ samePath }) => samePath);
  if (near.length === 0) return considered.map(consideredLine);
  const others = considered.length - near.length;
  const rest = others === 1 ? '1 mapping has another path' : `${others} mappings have other paths`;
  return [...near.map(consideredLine), ...(others === 0 ? [] : [`passes    ${rest}`])];
}

function consideredLine({ mapping, takes, because }: Preview['considered'][number]): string {
  return `${takes ? 'takes it' : 'passes  '}  ${asLine(mapping)}: ${asLine(because)}`;
}

function actionLines(
  { prompt, messages = [], text: _text, message: _message, ...fields }: PreviewedAction,
  name: string,
  paint: Paint,
): string[] {
  return [
    ...section(name, fieldLines(fields), paint),
    ...section(`${name}: prompt, word for word`, prompt === '' ? [] : asLines(prompt), paint),
    ...messages.flatMap((message, index) => {
      const title = `${name}: ${numberedName('message', index, messages)}, as it would be sent`;
      return section(title, asLines(message), paint);
    }),
  ];
}
