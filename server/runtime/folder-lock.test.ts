import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemRandom } from './clock.ts'
import { lockFolder } from './folder-lock.ts'
import { installationId } from './installation-id.ts'

const holder = `
  const { lockFolder } = await import(${JSON.stringify(`${import.meta.dirname}/folder-lock.ts`)})
  try { lockFolder(process.argv.at(-1)); console.log('locked'); Bun.gc(true); setInterval(() => {}, 1000) } catch (error) { console.log(error.message); process.exit(1) }`

const children: Bun.Subprocess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

function hold(folder: string) {
  const child = Bun.spawn([process.execPath, '-e', holder, folder], { stdout: 'pipe', stderr: 'inherit' })
  children.push(child)
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  return { child, said: async () => ((await reader.read()).value ?? '').trim() }
}

test('one process holds a folder; the lock goes with the process, even by kill -9', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'parley-test-'))
  const folder = join(parent, 'made', 'here')
  const other = hold(folder)
  expect(await other.said()).toBe('locked')
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  const inUse = `the data folder ${folder} is used by another Parley`
  expect(() => lockFolder(folder)).toThrow(inUse)
  expect(await hold(folder).said()).toBe(inUse)
  other.child.kill('SIGKILL')
  await other.child.exited
  const mine = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(inUse)
  expect(await hold(folder).said()).toBe(inUse)
  mine.release()
  lockFolder(folder).release()
  await rm(parent, { recursive: true })
})

test('a folder that cannot be made is one clear line', () => {
  expect(() => lockFolder('/dev/null/data')).toThrow('the data folder /dev/null/data is a file, or inside one')
})

test('an instance keeps its id; a broken one is made anew', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  const made = await installationId(folder, systemRandom)
  expect(made).toMatch(/^[0-9a-f]{32}$/)
  expect(await installationId(folder, systemRandom)).toBe(made)
  await Bun.write(join(folder, 'instance'), made.slice(0, 7))
  const again = await installationId(folder, systemRandom)
  expect(again).toMatch(/^[0-9a-f]{32}$/)
  expect(again).not.toBe(made)
  await rm(folder, { recursive: true })
})
