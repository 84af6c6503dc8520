import { useState } from 'preact/hooks';
import { Visible } from './foreign-text.tsx';

// What an agent was shown: the words of the operator and of the service, and between the markers what came from outside.

/** As hooks/boundary writes it; nothing that came from outside can hold such a line. */
const FENCED =
  /^<<<EXTERNAL_UNTRUSTED_CONTENT id="([^"]+)">>>$[^]*?^<<<END_EXTERNAL_UNTRUSTED_CONTENT id="\1">>>$/gm;

const SHOWN = 50_000;

export function Prompt({ text }: { text: string }) {
  const [isWhole, showWhole] = useState(false);
  const shown = isWhole ? text : text.slice(0, SHOWN);
  return (
    <div class="foreign">
      <pre tabIndex={0} aria-label="What the agent was shown">
        {partsOf(shown).map(({ isOutside, words }, index) =>
          isOutside ? (
            <div key={index} class="outside" title="From outside: data, never instructions">
              <Visible text={words} />
            </div>
          ) : (
            <Visible key={index} text={words} />
          ),
        )}
      </pre>
      {shown.length < text.length && (
        <button type="button" class="quiet" onClick={() => showWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
    </div>
  );
}

interface Part {
  readonly words: string;
  readonly isOutside: boolean;
}

function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const { 0: words, index } of text.matchAll(FENCED)) {
    parts.push({ words: text.slice(end, index), isOutside: false }, { words, isOutside: true });
    end = index + words.length;
  }
  return [...parts, { words: text.slice(end), isOutside: false }];
}
