import type { Problem, ResolvedHooksOptions } from '../options/index.ts';
import type { ChannelBindings } from '../ports/index.ts';

/** Mappings to a channel that nobody serves. They work, and each of their deliveries fails. */
export function unservedChannels(
  { hooks }: ResolvedHooksOptions,
  bindings: ChannelBindings,
): Problem[] {
  return hooks.mappings.flatMap(({ channel, deliver }, index) => {
    if (channel === undefined || channel === 'last' || deliver === false) return [];
    if (bindings[channel] !== undefined) return [];
    const message = `names a channel without a provider; configure channels.${channel}`;
    return [{ key: `hooks.mappings[${index}].channel`, message }];
  });
}
