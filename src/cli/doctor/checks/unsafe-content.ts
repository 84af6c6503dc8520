import { ok, warning } from '../check.ts';
import type { Check } from '../check.ts';

/** Every hook whose content an agent is shown as if the operator had written it. */
export const unsafeContent: Check = {
  name: 'unsafe-content',
  needs: 'configuration',
  run({ resolved: { effective } }) {
    const found = effective.hooks.mappings.flatMap(({ id, allowUnsafeExternalContent }, index) =>
      allowUnsafeExternalContent === true
        ? [
            warning(
              `hooks.mappings[${index}]${id === undefined ? '' : ` (${id})`} shows its content without the safety boundary`,
              'remove allowUnsafeExternalContent unless nobody else can write that content',
            ),
          ]
        : [],
    );
    return found.length > 0 ? found : [ok('every hook shows its content inside the boundary')];
  },
};
