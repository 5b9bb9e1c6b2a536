/** The single executable: the runtime, the server, the pages, the migrations and the embedded database in one file. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './processes.mjs'
import { root, TaskError } from './project.mjs'
import { stage } from './stage.mjs'

const folder = 'dist/executable'

/** Makes it and resolves with its path from the root. `target` as `bun build --compile` names them; this machine's if absent. Throws TaskError. */
export async function makeExecutable(bun, target) {
  const outfile = `dist/parley${target === undefined ? '' : target.replace(/^bun/, '')}${target?.includes('windows') ? '.exe' : ''}`
  await stage(bun, folder, { whole: true })
  cpSync(join(root, 'tasks/executable/parley.js'), join(root, folder, 'parley.js'))
  const assets = ['dist', 'db', 'docs', 'CHANGELOG.md', 'package.json'].map((path) => `--asset=${path}`)
  const { code, output } = await run(
    bun,
    [
      'build',
      '--compile',
      // The folder that it is started in must not bring code along.
      '--no-compile-autoload-bunfig',
      ...(target === undefined ? [] : [`--target=${target}`]),
      ...assets,
      'parley.js',
      `--outfile=${join(root, outfile)}`,
    ],
    { cwd: join(root, folder) },
  )
  if (code !== 0) throw new TaskError(`${output}\nThe executable could not be made.`)
  return outfile
}
