/**
 * An embedded database with this build's schema, created once and kept between runs: creating one takes seconds and a gigabyte of memory.
 */
import { createHash } from 'node:crypto'
import { cpSync, readFileSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock, systemRandom } from '#runtime/clock'
import { knownMigrations } from '#store/engine/migrate'
import { openStore } from '#store/engine/open'
import { madeOnce } from './made-once.ts'

const modules = join(import.meta.dirname, '../../node_modules')
const cache = join(modules, '.cache/parley-test')
let template: Promise<string> | undefined

/** Puts a copy of it into a data folder. */
export async function putEmbeddedDatabase(dataFolder: string): Promise<void> {
  template ??= make()
  // A thousand small files: one after the other they take less than half of the CPU time that they take in parallel.
  cpSync(await template, join(dataFolder, 'pglite'), { recursive: true })
}

async function make(): Promise<string> {
  const schema = createHash('sha256').update(readFileSync(join(modules, '@electric-sql/pglite/package.json')))
  for (const { hash } of knownMigrations()) schema.update(hash)
  const ready = join(cache, schema.digest('hex').slice(0, 16))
  await madeOnce(ready, async (folder) => {
    const dataFolder = `${folder}.data`
    await rm(dataFolder, { recursive: true, force: true })
    const store = await openStore({ dataFolder, clock: systemClock, random: systemRandom })
    await store.close()
    await rename(join(dataFolder, 'pglite'), folder)
    await rm(dataFolder, { recursive: true, force: true })
  })
  return ready
}
