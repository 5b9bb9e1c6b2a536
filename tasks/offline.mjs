/** `npm run offline`: one archive for machines without a network, `dist/parley-VERSION-PLATFORM.tar.gz`. `-- --target bun-linux-arm64`. */
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeExecutable } from './lib/executable.mjs'
import { install } from './lib/install.mjs'
import { run } from './lib/processes.mjs'
import { root, TaskError, task } from './lib/project.mjs'
import { manifest } from './lib/stage.mjs'

const beside = ['deploy', 'docs', 'compose.yaml', 'CHANGELOG.md', 'LICENSE', 'README.md']

await task(async () => {
  const { target } = parseArgs({ options: { target: { type: 'string' } } }).values
  const executable = await makeExecutable(await install({ dev: false }), target)
  const name = `parley-${manifest().version}-${target?.replace(/^bun-/, '') ?? `${process.platform}-${process.arch}`}`
  const folder = join(root, 'dist/offline', name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  cpSync(join(root, executable), join(folder, executable.endsWith('.exe') ? 'parley.exe' : 'parley'))
  for (const path of beside) cpSync(join(root, path), join(folder, path), { recursive: true })
  const archive = `dist/${name}.tar.gz`
  const { code, output } = await run('tar', ['-czf', archive, '-C', 'dist/offline', name])
  if (code !== 0) throw new TaskError(`${output}\nThe archive could not be made.`)
  process.stdout.write(`${archive}\n`)
})
