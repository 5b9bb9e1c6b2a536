/** Run as its own process: makes an empty database in the folder given, replacing a half-made one; of this build's schema, or `bare`. */
import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import * as schema from '#db/schema'
import { removeFolder } from '#runtime/folder'
import { fail } from '#runtime/process'
import { scriptArguments } from '#runtime/spawn'
import { migrate } from './migrate.ts'

try {
  const [folder = fail('a folder is needed'), bare] = scriptArguments()
  await removeFolder(folder)
  const database = await PGlite.create({ dataDir: folder })
  if (bare === undefined) await migrate(drizzle(database, { schema }), () => {})
  await database.close()
} catch (thrown) {
  fail(thrown instanceof Error ? thrown.message : String(thrown))
}
