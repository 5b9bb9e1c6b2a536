/**
 * `npm run dev`: Vite with hot reload of the client, and behind it the server, which is restarted when its files change.
 * PARLEY_PORT is Vite's port; the server uses the next one.
 */
import { install } from './lib/install.mjs'
import { serve } from './lib/processes.mjs'
import { task, tell } from './lib/project.mjs'

await task(async () => {
  const bun = await install({ dev: true })
  const front = Number(process.env.PARLEY_PORT || 3000)
  const behind = {
    PARLEY_HOST: '127.0.0.1',
    PARLEY_PORT: String(front + 1),
    PARLEY_PUBLIC_URL: `http://127.0.0.1:${front}`,
    // With these the server does not start itself anew, which would end the watching.
    BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
    BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '1000000',
    MIMALLOC_PURGE_HOLES_MIN_INTERVAL: '1000',
  }
  tell(`Open http://127.0.0.1:${front} (the server itself listens on port ${front + 1})`)
  serve([
    { command: bun, args: ['--watch', '--no-clear-screen', 'server/main.ts'], env: behind },
    {
      command: bun,
      args: ['--bun', 'node_modules/vite/bin/vite.js', '--port', String(front)],
      env: { PARLEY_DEV_SERVER: `http://127.0.0.1:${front + 1}` },
    },
  ])
})
