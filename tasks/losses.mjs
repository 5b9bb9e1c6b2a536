/** `node tasks/losses.mjs`: regenerates the loss matrices, of Converse too, and docs/losses.md. Commit the golden files separately. */
import { bringBun } from './lib/bun.mjs'
import { run } from './lib/processes.mjs'
import { root, TaskError, task } from './lib/project.mjs'

await task(async () => {
  const env = { ...process.env, PARLEY_UPDATE_LOSSES: '1' }
  const { code, output } = await run(
    await bringBun(),
    ['test', 'server/protocols/loss-matrix.test.ts', 'server/protocols/converse-matrix.test.ts'],
    { cwd: root, env },
  )
  if (code !== 0) throw new TaskError(output)
})
