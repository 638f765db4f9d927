import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [svelte(), ...(process.env.VITEST ? [svelteTesting()] : [])],
  // Relative, so that the same files work under the app's own scheme and from any folder.
  base: './',
  clearScreen: false,
  server: { port: 5173, strictPort: true, host: '127.0.0.1' },
  build: {
    // The oldest web views we meet: WebKitGTK 2.42, Safari 16.4, any WebView2 that still updates.
    target: ['es2022', 'safari16.4'],
    // A source map would be embedded into the program.
    sourcemap: false,
    // An inlined asset would be a data: address, which the content security policy refuses.
    assetsInlineLimit: 0,
    // The preload shim is dead weight: every system's web view loads modules itself.
    modulePreload: false,
  },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    restoreMocks: true,
    setupFiles: ['tests/limits.ts'],
    // Only against hanging: the suite must pass on a busy machine.
    testTimeout: 60_000,
    // Dates are drawn in local time; one zone makes their tests tables.
    env: { TZ: 'UTC' },
  },
});
