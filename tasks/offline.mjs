/**
 * `npm run offline`: one archive for machines without a network, `dist/parley-VERSION-PLATFORM.tar.gz`. `-- --target bun-linux-arm64`;
 * `-- --from dist/parley` packs an executable that is there.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeExecutable } from './lib/executable.mjs'
import { install } from './lib/install.mjs'
import { arrangeOffline } from './lib/offline.mjs'
import { run } from './lib/processes.mjs'
import { root, TaskError, task } from './lib/project.mjs'
import { manifest } from './lib/stage.mjs'

await task(async () => {
  const { target, from } = parseArgs({ options: { target: { type: 'string' }, from: { type: 'string' } } }).values
  const executable = from ?? (await makeExecutable(await install({ dev: false }), target))
  const name = `parley-${manifest().version}-${target?.replace(/^bun-/, '') ?? `${process.platform}-${process.arch}`}`
  arrangeOffline(executable, join(root, 'dist/offline', name))
  const archive = `dist/${name}.tar.gz`
  const { code, output } = await run('tar', ['-czf', archive, '-C', 'dist/offline', name])
  if (code !== 0) throw new TaskError(`${output}\nThe archive could not be made.`)
  process.stdout.write(`${archive}\n`)
})
