/** `npm start`, `bun start`, `deno task start`: installs and builds what is missing, then runs the server in the foreground. */
import { buildClient } from './lib/client.mjs'
import { install } from './lib/install.mjs'
import { serve } from './lib/processes.mjs'
import { task } from './lib/project.mjs'
import { buildServer, serverCommand } from './lib/server.mjs'

await task(async () => {
  const bun = await install({ dev: false })
  await Promise.all([buildClient(bun), buildServer(bun)])
  serve([serverCommand(bun)])
})
