import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBackups, newestBackup } from './backups.ts'

const hour = 3_600_000
const base = mkdtempSync(join(tmpdir(), 'parley-backups-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

let now = Date.UTC(2026, 0, 1)
const log = { info: () => undefined }
function backupsIn(folder: string, more: { keep?: number; forMs?: number; write?: (order: { file: string }) => Promise<void> } = {}) {
  const plan = { folder, everyMs: 24 * hour, keep: more.keep ?? 3, forMs: more.forMs ?? 1_000 * hour }
  const write = more.write ?? (async ({ file }) => writeFileSync(file, 'rows'))
  return createBackups({ plan, instance: '4f2a81aa', clock: { now: () => now }, log, write })
}

test('one is made when the last one is old enough, also after a restart; so many are kept', async () => {
  const folder = join(base, 'number')
  const backups = backupsIn(folder)
  expect(backups.state()).toMatchObject({ lastAt: undefined, failures: 0, isOverdue: false })
  for (let n = 0; n < 5; n++) {
    await backups.look()
    expect(backups.state().lastAt).toBe(now)
    now += 23 * hour
    await backups.look()
    await backupsIn(folder).look()
    now += hour
  }
  expect(readdirSync(folder)).toHaveLength(3)
  expect(await newestBackup(folder)).toBe(join(folder, 'parley-2026-01-05T00-00-00.000Z-4f2a81.backup'))
})

test('those that are too old go, but never the newest, and nothing else in the folder', async () => {
  const folder = join(base, 'age')
  await backupsIn(folder, { keep: 100 }).look()
  writeFileSync(join(folder, 'parley-friday.backup'), 'by hand')
  now += 24 * hour
  await backupsIn(folder, { keep: 100, forMs: 30 * hour }).look()
  expect(readdirSync(folder)).toHaveLength(3)
  now += 24 * hour
  await backupsIn(folder, { keep: 100, forMs: 10 * hour }).look()
  expect(readdirSync(folder).sort()).toEqual([`parley-2026-01-08T00-00-00.000Z-4f2a81.backup`, 'parley-friday.backup'])
})

test('one that fails is counted, tried again, and overdue after one and a half intervals', async () => {
  const folder = join(base, 'failing')
  let isFull = true
  const backups = backupsIn(folder, {
    async write({ file }) {
      if (isFull) throw new Error('ENOSPC')
      writeFileSync(file, 'rows')
    },
  })
  await expect(backups.look()).rejects.toThrow('ENOSPC')
  expect(backups.state()).toMatchObject({ failures: 1, isOverdue: false })
  now += 37 * hour
  await expect(backups.look()).rejects.toThrow('ENOSPC')
  expect(backups.state()).toMatchObject({ failures: 2, isOverdue: true })
  await expect(newestBackup(folder)).rejects.toThrow('there is no backup')
  isFull = false
  await backups.look()
  expect(backups.state().failures).toBe(2)
  now += hour
  await backups.look()
  expect(backups.state()).toMatchObject({ lastAt: now, isOverdue: false })
})
