/** `npm run build`: installs and builds what `npm start` would, without starting. */
import { buildClient } from './lib/client.mjs'
import { install } from './lib/install.mjs'
import { task } from './lib/project.mjs'

await task(async () => buildClient(await install({ dev: false })))
