/** `npm run build`: installs and builds what `npm start` would, without starting. */
import { buildClient } from './lib/client.mjs'
import { install } from './lib/install.mjs'
import { task } from './lib/project.mjs'
import { buildServer } from './lib/server.mjs'

await task(async () => {
  const bun = await install({ dev: false })
  await Promise.all([buildClient(bun), buildServer(bun)])
})
