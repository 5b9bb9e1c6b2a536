/** `npm start`, `bun start`: does whatever set-up is missing, then runs the server in front of everything else. */
import { buildClient } from './lib/client.mjs'
import { install } from './lib/install.mjs'
import { serve } from './lib/processes.mjs'
import { task } from './lib/project.mjs'

await task(async () => {
  const bun = await install({ dev: false })
  await buildClient(bun)
  // Above 256 calls at once Bun would let the rest wait without a word; it reads this variable only at its own start.
  const { BUN_CONFIG_MAX_HTTP_REQUESTS = '65535', NODE_ENV = 'production' } = process.env
  serve([{ command: bun, args: ['server/main.ts'], env: { BUN_CONFIG_MAX_HTTP_REQUESTS, NODE_ENV } }])
})
