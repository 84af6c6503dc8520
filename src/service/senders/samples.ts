import { bodyOf, listSamples, presetIds, readSample } from '../../hooks/index.ts';
import type { ResolvedHooksOptions } from '../../hooks/index.ts';
import type { PresetSamples, SampleRequest } from '../ops/configuring-answers.ts';
import {
  contentTypeOf,
  findRule,
  presetsOf,
  proofKind,
  schemeOf,
  senderName,
  senderPath,
  signsUrl,
} from './sender.ts';

/** `hooks send` has a way of its own to sign samples; what stands in them is the same. */

export function listPresetSamples(settings: ResolvedHooksOptions): PresetSamples[] {
  const { hooks, configDir } = settings;
  const enabled = presetIds(settings);
  return [...presetsOf(settings).values()].flatMap((preset) => {
    const { id } = preset;
    const samples = listSamples(id, configDir);
    if (samples.length === 0) return [];
    const hook = senderPath(preset, hooks);
    const scheme = schemeOf(preset, settings);
    return [
      {
        preset: id,
        sender: senderName(preset),
        hook,
        isEnabled: enabled.has(id),
        proof: proofKind(preset),
        signsAddress: scheme !== undefined && signsUrl(scheme),
        samples,
      },
    ];
  });
}

/** Undefined: there is no such sample. */
export function sampleRequest(
  id: string,
  name: string,
  settings: ResolvedHooksOptions,
): SampleRequest | undefined {
  const preset = presetsOf(settings).get(id);
  const sample = preset && readSample(id, name, settings.configDir);
  if (preset === undefined || sample === undefined) return undefined;
  const hook = senderPath(preset, settings.hooks);
  const rule = findRule(hook, settings);
  const { 'content-type': contentType = contentTypeOf(rule), ...others } = sample.headers;
  return {
    preset: id,
    name,
    source: sample.source,
    hook,
    headers: { 'content-type': contentType, ...others },
    query: {},
    body: bodyOf(sample),
    contentType,
  };
}
