#!/usr/bin/env node
/** The command of the npm package: `parley` serves, `parley WORD ...` is the command line. Nothing is installed or built here. */
import { join } from 'node:path'
import { findBun } from './lib/bun.mjs'
import { serve } from './lib/processes.mjs'
import { pinnedBun, root, TaskError, task } from './lib/project.mjs'

await task(() => {
  const bun = findBun()
  if (bun === undefined) throw new TaskError(`Bun ${pinnedBun} is not beside this package: install it again, without --omit=optional.`)
  const words = process.argv.slice(2)
  const { NODE_ENV = 'production' } = process.env
  const script = join(root, 'dist/server', words.length === 0 ? 'main.js' : 'cli.js')
  serve([{ command: bun, args: [script, ...words], env: { NODE_ENV }, cwd: process.cwd() }])
})
