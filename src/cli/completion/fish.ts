import type { CommandPlace, OptionWord, Word } from '../command-place.ts';

/** Completion for fish, with descriptions; where no command is expected, files complete. */
export function fishScript(places: readonly CommandPlace[]): string {
  return `# Completion of hooks for fish: hooks completion fish > ~/.config/fish/completions/hooks.fish
function __hooks_place
    set -l place ''
    for word in (commandline -opc)[2..-1]
        switch "$place/$word"
            case ${places.slice(1).map(placeOf).join(' ')}
                set place "$place/$word"
        end
    end
    echo $place
end

${places.flatMap(linesOf).join('\n')}
`;
}

function placeOf({ path }: CommandPlace): string {
  return quoted(path.map((name) => `/${name}`).join(''));
}

function linesOf(place: CommandPlace): string[] {
  const at = `complete -c hooks -n ${quoted(`test (__hooks_place) = ${placeOf(place)}`)}`;
  return [
    ...place.commands.map((word) => `${at} -f -a ${quoted(word.name)} ${described(word)}`),
    ...place.options.map((option) => `${at} ${flag(option)} ${described(option)}`),
  ];
}

function flag({ name, takesValue }: OptionWord): string {
  const form = name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
  return takesValue ? `${form} -r` : form;
}

function described({ description }: Word): string {
  return `-d ${quoted(description)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
