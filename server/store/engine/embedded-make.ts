/**
 * Runs as its own process: creates an empty database in the given folder, replacing an incomplete one; with this build's schema, or
 * without one for `bare`.
 */
import { PGlite } from '@electric-sql/pglite'
import { dataDir } from '@electric-sql/pglite-prepopulatedfs'
import { drizzle } from 'drizzle-orm/pglite'
import * as schema from '#db/schema'
import { removeFolder } from '#runtime/folder'
import { fail } from '#runtime/process'
import { scriptArguments } from '#runtime/spawn'
import { migrate } from './migrate.ts'

try {
  const [folder = fail('a folder is needed'), bare] = scriptArguments()
  await removeFolder(folder)
  // The result of initdb, prebuilt in a package: initdb takes three times the CPU and twice the memory.
  const database = await PGlite.create({ dataDir: folder, loadDataDir: await dataDir() })
  if (bare === undefined) await migrate(drizzle(database, { schema }), () => {})
  await database.close()
} catch (thrown) {
  fail(thrown instanceof Error ? thrown.message : String(thrown))
}
