/** `npm run pack`: the npm package with built pages, `dist/parley-VERSION.tgz`, which needs three packages beside it. */
import { join } from 'node:path'
import { install } from './lib/install.mjs'
import { run } from './lib/processes.mjs'
import { root, TaskError, task } from './lib/project.mjs'
import { stage } from './lib/stage.mjs'

const folder = 'dist/package'

await task(async () => {
  const bun = await install({ dev: false })
  await stage(bun, folder, { whole: false })
  const { code, output } = await run(bun, ['pm', 'pack', '--destination', join(root, 'dist'), '--quiet'], { cwd: join(root, folder) })
  if (code !== 0) throw new TaskError(`${output}\nThe package could not be made.`)
  process.stdout.write(`${output.trim()}\n`)
})
