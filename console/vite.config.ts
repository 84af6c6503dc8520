import { defineConfig } from 'vite';

// Built into dist/console by `npm run build`. For work on it: start the service, then `npm run dev:console`.
export default defineConfig({
  root: import.meta.dirname,
  // Wherever a host puts it: the service writes the place into index.html.
  base: './',
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2023',
    // The policy of the console allows nothing inline, data addresses included.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // CodeMirror and the table expect one copy of themselves.
  resolve: { alias: { react: 'preact/compat', 'react-dom': 'preact/compat' } },
  server: { proxy: { '/ops': 'http://127.0.0.1:18790' } },
});
