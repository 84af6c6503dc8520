declare module 'hoodiecrow-imap' {
  import type { Server } from 'node:net';

  interface User {
    readonly password: string;
    readonly xoauth2?: { readonly accessToken: string; readonly sessionTimeout: number };
  }

  interface Folder {
    readonly messages: readonly { readonly raw: string }[];
  }

  export default function hoodiecrow(options: {
    readonly plugins: readonly string[];
    readonly users: Readonly<Record<string, User>>;
    readonly storage: Readonly<Record<string, Folder>>;
  }): {
    readonly server: Server;
    listen(port: number, host: string, listening: () => void): void;
    close(closed: () => void): void;
  };
}
