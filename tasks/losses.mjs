/** `node tasks/losses.mjs`: writes the loss matrix anew, for review and for people. Its golden file has a commit of its own. */
import { bringBun } from './lib/bun.mjs'
import { run } from './lib/processes.mjs'
import { root, TaskError, task } from './lib/project.mjs'

await task(async () => {
  const env = { ...process.env, PARLEY_UPDATE_LOSSES: '1' }
  const { code, output } = await run(await bringBun(), ['test', 'server/protocols/loss-matrix.test.ts'], { cwd: root, env })
  if (code !== 0) throw new TaskError(output)
})
