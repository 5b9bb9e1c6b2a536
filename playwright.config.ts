import { defineConfig } from 'playwright/test'

/** Chromium, found by tasks/lib/tools.mjs; the flags keep it from calling its maker and let it run as root. */
const chromium = {
  executablePath: process.env.PARLEY_CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
}

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.e2e.ts',
  outputDir: 'test-results/e2e',
  // Each waits for the others' answers half of the time.
  workers: 3,
  timeout: 60_000,
  // Machines are shared: what a person would see at once may take a while there.
  expect: { timeout: 20_000 },
  forbidOnly: process.env.CI !== undefined,
  reporter: [['list'], ['json', { outputFile: 'test-results/e2e.json' }]],
  use: {
    browserName: 'chromium',
    launchOptions: chromium,
    screenshot: 'only-on-failure',
    // Frames of transitions cost a twentieth of the CPU; tests about them set their own preference.
    contextOptions: { reducedMotion: 'reduce' },
    // A trace of every test takes a third more time; PARLEY_TRACE=1 keeps those of tests that fail.
    trace: process.env.PARLEY_TRACE === undefined ? 'off' : 'retain-on-failure',
  },
})
