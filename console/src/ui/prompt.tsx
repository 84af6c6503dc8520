import { LongText, Visible } from './foreign-text.tsx';

// What an agent was shown: the words of the operator and of the service, and between the markers what came from outside.

/**
 * As hooks/boundary writes it; nothing that came from outside can hold such a line. Where only the beginning of a prompt is
 * shown, the end of what came from outside may be missing.
 */
const FENCED =
  /^<<<EXTERNAL_UNTRUSTED_CONTENT id="([^"]+)">>>$(?:[^]*?^<<<END_EXTERNAL_UNTRUSTED_CONTENT id="\1">>>$|[^]*)/gm;

export function Prompt({
  text,
  label = 'What the agent was shown',
}: {
  text: string;
  label?: string;
}) {
  return (
    <LongText text={text} label={label}>
      {(shown) =>
        partsOf(shown).map(({ isOutside, words }, index) =>
          isOutside ? (
            <div key={index} class="outside" title="From outside: data, never instructions">
              <Visible text={words} />
            </div>
          ) : (
            <Visible key={index} text={words} />
          ),
        )
      }
    </LongText>
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
