/**
 * `npm run walk:update`: walks the types of the installed SDKs through the codecs, and writes what is made from it: the list of silent
 * cells, the figures in docs/mapping.md, the loss matrix and docs/losses.md. Read the difference; what is newly silent has no reason yet.
 */
import { bringBun } from './lib/bun.mjs'
import { run } from './lib/processes.mjs'
import { root, TaskError, task } from './lib/project.mjs'

await task(async () => {
  const bun = await bringBun()
  const env = { ...process.env, PARLEY_UPDATE_WALK: '1', PARLEY_UPDATE_LOSSES: '1' }
  for (const file of ['testing/walk/walk.test.ts', 'server/protocols/loss-matrix.test.ts', 'server/protocols/converse-matrix.test.ts']) {
    const { code, output } = await run(bun, ['test', '--timeout', '300000', file], { cwd: root, env })
    process.stdout.write(output)
    if (code !== 0) throw new TaskError(`${file} says what is left to do.`)
  }
})
