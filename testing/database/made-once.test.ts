import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { madeOnce } from './made-once.ts'

let parent: string
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'parley-test-'))
})
afterAll(() => rm(parent, { recursive: true, force: true }))

test('of several concurrent callers one makes it, and the others get it when it is complete', async () => {
  const path = join(parent, 'made')
  let times = 0
  const make = async (folder: string) => {
    times += 1
    await mkdir(folder)
    await writeFile(join(folder, 'first'), '')
    await writeFile(join(folder, 'last'), '')
  }
  const seen = await Promise.all([1, 2, 3].map(() => madeOnce(path, make).then(() => readdir(path))))
  expect(seen.map((names) => names.sort())).toEqual(Array(3).fill(['first', 'last']))
  expect(times).toBe(1)
  await madeOnce(path, make)
  expect(times).toBe(1)
})

test('after a failure, the next caller starts over', async () => {
  const path = join(parent, 'tried')
  const half = async (folder: string) => {
    await mkdir(folder)
    await writeFile(join(folder, 'half'), '')
    throw new Error('no more room')
  }
  const failed = madeOnce(path, half)
  await Promise.all([expect(failed).rejects.toThrow('no more room'), madeOnce(path, (folder) => mkdir(folder))])
  expect(await readdir(path)).toEqual([])
})
