import { expect, test } from 'bun:test'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

const root = join(import.meta.dirname, '../../..')

test('the migrations are complete: generating finds nothing to add', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  await cp(join(root, 'db/migrations'), folder, { recursive: true })
  const before = await readdir(folder)
  const child = Bun.spawn(
    [
      process.execPath,
      '--bun',
      'node_modules/.bin/drizzle-kit',
      'generate',
      '--dialect=postgresql',
      '--schema=./db/schema.ts',
      `--out=${relative(root, folder)}`,
    ],
    { cwd: root, stdout: 'pipe', stderr: 'inherit', stdin: 'ignore' },
  )
  const said = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
  expect(said).toContain('No schema changes')
  expect(await readdir(folder)).toEqual(before)
  await rm(folder, { recursive: true })
}, 60_000)
