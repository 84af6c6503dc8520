export function readForeignContent(prompt: string | null | undefined): string {
  const found =
    /^Sender verified by: [^\n]*\n\n([\s\S]*?)\n<<<END_EXTERNAL_UNTRUSTED_CONTENT/mu.exec(
      prompt ?? '',
    )?.[1];
  if (found === undefined) throw new Error(`no foreign content in the prompt: ${String(prompt)}`);
  return found;
}
