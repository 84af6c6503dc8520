import * as fc from 'fast-check';
import { attackText } from '../../../test/support/attack-texts.ts';
import { hiddenIn, seesMarker, seesToken } from '../../../test/support/careless-reader.ts';
import { parsePrompt } from '../../../test/support/parsed-prompt.ts';
import { runs } from '../../../test/support/rounds.ts';
import { neutralize, neutralizeLine } from './neutralize.ts';
import { renderPrompt } from './frame.ts';

const TEXTS = runs(5000);

describe('the boundary, over generated attacks (behaviour §9)', () => {
  it('shows nothing that passes as a marker, a model token or hidden, and says it once', () => {
    fc.assert(
      fc.property(attackText, (given) => {
        const safe = neutralize(given);
        expect(safe.isWellFormed()).toBe(true);
        if (seesMarker(safe)) throw new Error(`a marker in ${JSON.stringify(safe)}`);
        const token = seesToken(safe);
        if (token !== undefined) throw new Error(`${token} in ${JSON.stringify(safe)}`);
        const hidden = hiddenIn(safe);
        if (hidden.length > 0) throw new Error(`hidden in ${JSON.stringify(safe)}`);
        return neutralize(safe) === safe;
      }),
      TEXTS,
    );
  });

  it('parses back to exactly its task, header fields and content', () => {
    fc.assert(
      fc.property(attackText, attackText, attackText, (content, source, hook) => {
        const name = `of ${hook}`;
        const message = { source, hook, name, verifiedBy: 'token', content, receivedAt: 0 };
        const isRequest = content.length % 2 === 0;
        const text = renderPrompt({
          task: source,
          message,
          isUntrusted: true,
          isRequest,
          isSent: true,
        });
        expect(parsePrompt(text)).toEqual({
          task: source,
          source: neutralizeLine(source),
          hook: neutralizeLine(hook),
          name: neutralizeLine(name),
          verifiedBy: 'token',
          content: neutralize(content),
          received: '1970-01-01T00:00:00.000Z',
        });
        return !seesMarker(neutralizeLine(hook));
      }),
      runs(1000),
    );
  });
});
