/** The name of the text that whoever watches a mailbox holds, where services share a database. */
export function sharedMailName(account: string): string {
  return `mail of ${account}`;
}
