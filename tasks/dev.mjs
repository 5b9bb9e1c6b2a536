/**
 * `npm run dev`: Vite with hot reload of the client, and behind it the server, which is restarted when its files change.
 * PARLEY_PORT is Vite's port; the server uses the next one.
 */
import { install } from './lib/install.mjs'
import { serve } from './lib/processes.mjs'
import { startSettings, task, tell } from './lib/project.mjs'

await task(async () => {
  const bun = await install({ dev: true })
  const front = Number(process.env.PARLEY_PORT || 3000)
  const behind = {
    PARLEY_HOST: '127.0.0.1',
    PARLEY_PORT: String(front + 1),
    PARLEY_PUBLIC_URL: `http://127.0.0.1:${front}`,
    // The server must not start itself anew, which would end the watching.
    ...startSettings(),
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
