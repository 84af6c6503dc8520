/** How known injections are worded: one of the words, then the rest (a regular expression, bounded everywhere). */
interface Phrase {
  readonly words: string;
  readonly rest: string;
}

const FILLERS =
  '(?:(?:all|any|every|each|the|this|that|these|those|your|my|our|of|to|me|us|you|were|was|a|an|previous|prior|preceding|above|earlier|former|foregoing|existing|current|other|full|entire|complete|exact|hidden|secret|initial|original|private|internal|system|developer|safety|given|provided|following) {1,8}){0,6}';

/**
 * By kind. English words only: whoever wants to get around them can; a phrase costs a look, it stops nobody.
 * A blank stands for any white space character. After the collections of public injections that gateways and scanners use.
 */
export const INJECTION_PHRASES = {
  override: [
    {
      words: 'ignore|disregard|forget|override|bypass|overrule',
      rest: ` {1,8}${FILLERS}(?:instructions?|prompts?|rules|directions|directives|guidelines|messages|context|commands|constraints|restrictions|guardrails)`,
    },
    { words: 'new|updated|revised|actual', rest: ' {1,8}(?:instructions?|task|objective) {0,8}:' },
    { words: 'from now on', rest: ',? {1,8}you' },
    { words: 'stop following', rest: '' },
  ],
  role: [
    {
      words: 'you are now|you are no longer|pretend to be|pretend that you|act as if you',
      rest: '',
    },
    { words: 'act as an?', rest: ' {1,8}(?:unrestricted|uncensored|admin|root|developer|system)' },
    { words: 'developer mode|god mode|admin mode|debug mode|jailbreak|dan mode', rest: '' },
    {
      words: 'system|developer|assistant|instructions?',
      rest: '(?<=(?:^|\\n)[#*> ]{0,8}\\w{1,12})(?: {1,2}(?:prompt|message|note|override))?[ *]{0,4}:',
    },
  ],
  exfiltration: [
    {
      words:
        'reveal|print|show|repeat|output|leak|expose|disclose|dump|exfiltrate|send|share|give|tell|display|recite',
      rest: ` {1,8}${FILLERS}(?:prompts?|instructions|secrets?|credentials?|passwords?|passphrase|keys?|api.keys?|access.tokens?|tokens?|environment variables|env)\\b`,
    },
    {
      words: 'what (?:is|are|was|were) your',
      rest: ' {1,8}(?:\\w{1,12} {1,8}){0,2}(?:prompt|instructions)',
    },
  ],
  tool: [
    {
      words: 'run|execute|call|invoke|use',
      rest: ` {1,8}${FILLERS}(?:\\w{1,24} {1,8})?(?:tools?|functions?|commands?|shell|bash|terminal)\\b`,
    },
    { words: 'rm', rest: ' {1,8}-rf' },
    { words: 'curl', rest: ' [^\\n|]{1,200}\\| {0,8}(?:ba|z)?sh' },
  ],
} as const satisfies Record<string, readonly Phrase[]>;
