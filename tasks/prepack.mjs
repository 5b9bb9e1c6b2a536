/**
 * Before `npm pack` and `npm publish`: the sources are not the package. Package managers take the name of `npm run pack` for a wish to have
 * this before it, too; then there is nothing to say.
 */
import { TaskError, task } from './lib/project.mjs'

await task(() => {
  if (['pack', 'publish'].includes(process.env.npm_command ?? '')) throw new TaskError('The sources are not the package: use npm run pack.')
})
