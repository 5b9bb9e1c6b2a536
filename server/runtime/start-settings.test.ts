import { expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSettings } from './start-settings.ts'

const module = new URL('./start-settings.ts', import.meta.url).pathname
const script = `
import { ensureStartSettings } from ${JSON.stringify(module)}
console.log('started', process.pid)
ensureStartSettings()
const { BUN_CONFIG_MAX_HTTP_REQUESTS: most, BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: tier, MIMALLOC_PURGE_HOLES_MIN_INTERVAL: purge } =
  process.env
console.log(JSON.stringify({ pid: process.pid, words: process.argv.slice(2), own: process.execArgv, most, tier, purge }))`

async function outputOf(env: Record<string, string>): Promise<{ pid: number; starts: string[]; end: unknown }> {
  const path = join(tmpdir(), `start-settings-${process.pid}.ts`)
  await Bun.write(path, script)
  const bare = Object.fromEntries(Object.entries(process.env).filter(([name]) => !(name in startSettings)))
  const child = Bun.spawn([process.execPath, '--smol', path, 'a word', 'b'], { env: { ...bare, ...env }, stdout: 'pipe' })
  const lines = (await new Response(child.stdout).text()).trim().split('\n')
  await rm(path)
  return { pid: child.pid, starts: lines.slice(0, -1), end: JSON.parse(lines.at(-1) ?? '') }
}

test('the program starts anew once, as the same process, with its arguments and what was missing', async () => {
  const { pid, starts, end } = await outputOf({})
  expect(starts).toEqual([`started ${pid}`, `started ${pid}`])
  expect(end).toEqual({ pid, words: ['a word', 'b'], own: ['--smol'], most: '65535', tier: '1000000', purge: '1000' })
})

test('a variable that is set stays as it is', async () => {
  const { starts, end } = await outputOf({ BUN_CONFIG_MAX_HTTP_REQUESTS: '300' })
  expect(starts).toHaveLength(2)
  expect(end).toMatchObject({ most: '300', tier: '1000000' })
})

test('with all of them the program goes on', async () => {
  const { starts } = await outputOf({ ...startSettings, BUN_CONFIG_MAX_HTTP_REQUESTS: '300' })
  expect(starts).toHaveLength(1)
})
