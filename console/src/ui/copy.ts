import { tell } from './notices.tsx';

/** Puts a text on the clipboard, and says so; where the browser forbids it, the text itself is told. */
export async function copy(text: string, done: string): Promise<void> {
  // Browsers have no clipboard for pages over plain HTTP from elsewhere.
  const written = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'));
  await written.then(
    () => tell(done),
    () => tell(`The browser does not let the console copy: ${text}`, 'failed'),
  );
}
