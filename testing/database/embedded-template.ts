/**
 * An embedded database with this build's schema, created once and kept between runs: creating one takes seconds and a gigabyte of memory.
 */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock, systemRandom } from '#runtime/clock'
import { knownMigrations } from '#store/engine/migrate'
import { openStore } from '#store/engine/open'

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
  if (existsSync(ready)) return ready
  const folder = `${ready}.${process.pid}`
  await mkdir(folder, { recursive: true })
  const store = await openStore({ dataFolder: folder, clock: systemClock, random: systemRandom })
  await store.close()
  // Another run may have created the template first; it is equivalent.
  await rename(join(folder, 'pglite'), ready).catch((thrown: unknown) => {
    if (!existsSync(ready)) throw thrown
  })
  await rm(folder, { recursive: true, force: true })
  return ready
}
