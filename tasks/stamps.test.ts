import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { readStamp, root, unlessDone } from './lib/project.mjs'

test('work is done again when contents have changed, and files are read only when times or sizes have', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-stamps-'))
  const file = join(folder, 'source.txt')
  const stamp = relative(root, join(folder, 'stamps/work'))
  const [contentsIn, stateIn] = [0, 1]
  const noted = () => readStamp(stamp)?.split('\n') ?? []
  let times = 0
  const look = () => unlessDone(stamp, [relative(root, file)], async () => void times++)
  try {
    writeFileSync(file, 'a')
    await look()
    await look()
    expect(times).toBe(1)
    const before = noted()
    utimesSync(file, 1, 1)
    await look()
    expect(times).toBe(1)
    expect(noted()[contentsIn]).toBe(before[contentsIn])
    expect(noted()[stateIn]).not.toBe(before[stateIn])
    writeFileSync(file, 'b')
    await look()
    expect(times).toBe(2)
    // A copy that claims the time and size of what was there.
    writeFileSync(file, 'c')
    utimesSync(file, 1, 1)
    await look()
    expect(times).toBe(3)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('work that fails is not noted as done', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-stamps-'))
  const stamp = relative(root, join(folder, 'work'))
  writeFileSync(join(folder, 'source'), 'a')
  const failing = unlessDone(stamp, [relative(root, join(folder, 'source'))], () => Promise.reject(new Error('no')))
  const told = await failing.then(
    () => '',
    (thrown: Error) => thrown.message,
  )
  expect(told).toBe('no')
  expect(readStamp(stamp)).toBeUndefined()
  rmSync(folder, { recursive: true })
})
