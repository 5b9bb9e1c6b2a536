/** `npm run executable`: one file that is all of Parley, `dist/parley`. `-- --target bun-linux-arm64` for another machine. */
import { parseArgs } from 'node:util'
import { makeExecutable } from './lib/executable.mjs'
import { install } from './lib/install.mjs'
import { task } from './lib/project.mjs'

await task(async () => {
  const { target } = parseArgs({ options: { target: { type: 'string' } } }).values
  process.stdout.write(`${await makeExecutable(await install({ dev: false }), target)}\n`)
})
