/** Other users of the machine can neither read nor write what Parley keeps, however its folders were made. */
import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { putEmbeddedDatabase } from '#testing/database/embedded-template'
import { startProgram } from '#testing/program/program'

/** Files and folders that others reach; what stands in a folder that is closed to them is not looked at. */
function open(folder: string, path = ''): string[] {
  return readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
    const at = join(path, entry.name)
    const { mode } = statSync(join(folder, at))
    if ((mode & 0o077) === 0) return []
    return entry.isDirectory() ? [at, ...open(folder, at)] : [at]
  })
}

test.each([['a new database'], ['a database that was made open to everybody']])(
  '%s in a folder that everybody may enter',
  async (kind) => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-modes-'))
    const data = join(folder, 'data')
    try {
      mkdirSync(data)
      chmodSync(folder, 0o755)
      chmodSync(data, 0o755)
      if (kind !== 'a new database') {
        await putEmbeddedDatabase(data)
        for (const entry of readdirSync(join(data, 'pglite'), { recursive: true })) {
          const path = join(data, 'pglite', String(entry))
          chmodSync(path, statSync(path).isDirectory() ? 0o777 : 0o666)
        }
        chmodSync(join(data, 'pglite'), 0o755)
      }
      const program = await startProgram({ folder, makesDatabase: true, env: { PARLEY_DATA: data } })
      expect(open(data)).toEqual([])
      await program.stop()
      expect(open(data)).toEqual([])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  90_000,
)
