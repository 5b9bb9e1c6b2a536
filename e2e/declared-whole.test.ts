/**
 * The declarations of parley.yaml are applied completely or not at all: with a `kill -9` in the middle, and with an error in the last
 * section.
 */
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sampledEngines } from '#testing/database/database'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { administrator, administratorPassword, type Program, startProgram } from '#testing/program/program'
import { wait } from '#testing/upstream/scripted-answers'

const count = 120
const numbers = Array.from({ length: count }, (_, number) => number)

/** Every row shows which version of the file it is from. */
const config = (version: number, more: object = {}) =>
  JSON.stringify({
    groups: { default: { ratio: version } },
    channels: numbers.map((number) => ({
      name: `channel-${number}`,
      vendor: 'openai-compatible',
      baseUrl: 'http://127.0.0.1:1',
      keys: ['sk-vendor'],
      models: [`model-${number}`],
      weight: version,
    })),
    prices: Object.fromEntries(numbers.map((number) => [`model-${number}`, { input: String(version), output: '0' }])),
    ...more,
  })

interface Seen {
  versions: number[]
  channels: number
}

async function versionsIn({ url }: Program): Promise<Seen> {
  const session = await fetch(`${url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: administrator.PARLEY_ADMIN_USER, password: administratorPassword }),
  })
  const headers = { cookie: (session.headers.get('set-cookie') ?? '').split(';')[0] ?? '' }
  const all = async <Row>(path: string) => {
    const rows: Row[] = []
    for (let after = ''; ; ) {
      const { data, next } = (await (await fetch(`${url}${path}?limit=100${after}`, { headers })).json()) as {
        data: Row[]
        next?: string | null
      }
      rows.push(...data)
      if (!next) return rows
      after = `&after=${encodeURIComponent(next)}`
    }
  }
  const channels = await all<{ weight: number }>('/api/channels')
  const prices = await all<{ input?: string; price?: { input: string } }>('/api/prices')
  const groups = await all<{ name: string; ratio: number | string }>('/api/groups')
  const versions = [
    ...channels.map(({ weight }) => weight),
    ...prices.map(({ input, price }) => Number(input ?? price?.input)),
    ...groups.map(({ ratio }) => Number(ratio)),
  ]
  return { versions: [...new Set(versions)], channels: channels.length }
}

describe.each(sampledEngines(import.meta.file))('on %s', (engine) => {
  test('a reload that is killed in the middle leaves what was there', async () => {
    const database = engine === 'postgres' ? await newPostgresDatabase() : undefined
    const folder = mkdtempSync(join(tmpdir(), 'parley-whole-'))
    const file = join(folder, 'parley.yaml')
    const env = { ...administrator, PARLEY_DEMO: 'off', PARLEY_LOG_LEVEL: 'error', ...(database && { DATABASE_URL: database.url }) }
    const seen: number[][] = []
    let inForce = 1
    try {
      writeFileSync(file, config(inForce))
      for (const delay of [150, 500]) {
        const program = await startProgram({ folder, env })
        writeFileSync(`${file}.new`, config(inForce + 1))
        renameSync(`${file}.new`, file)
        process.kill(program.pid, 'SIGHUP')
        await wait(delay)
        process.kill(program.pid, 'SIGKILL')
        await program.stop()
        rmSync(file)
        const after = await startProgram({ folder, env })
        const { versions, channels } = await versionsIn(after)
        await after.stop()
        seen.push(versions)
        expect(channels).toBe(count)
        expect(versions.length).toBe(1)
        inForce = versions[0] ?? 0
        writeFileSync(file, config(inForce))
      }
      console.log(`versions found: ${JSON.stringify(seen)}`)
    } finally {
      rmSync(folder, { recursive: true, force: true })
      await database?.drop()
    }
  }, 180_000)

  test('a fault in the last section undoes the first ones, at a reload and at start', async () => {
    const database = engine === 'postgres' ? await newPostgresDatabase() : undefined
    const folder = mkdtempSync(join(tmpdir(), 'parley-whole-'))
    const file = join(folder, 'parley.yaml')
    const env = { ...administrator, PARLEY_DEMO: 'off', ...(database && { DATABASE_URL: database.url }) }
    const wrong = config(2, { keys: [{ name: 'k', user: 'nobody at all', key: 'sk-of-nobody-at-all' }] })
    try {
      writeFileSync(file, config(1))
      const program = await startProgram({ folder, env })
      writeFileSync(file, wrong)
      process.kill(program.pid, 'SIGHUP')
      for (let tries = 0; tries < 500 && !program.output().includes('was not applied'); tries++) await wait(20)
      expect(program.output()).toContain('was not applied')
      expect(await versionsIn(program)).toEqual({ versions: [1], channels: count })
      await program.stop()
      const failed = await startProgram({ folder, env }).catch((error: Error) => error.message)
      expect(String(failed)).toContain('expected a user that exists')
      rmSync(file)
      const after = await startProgram({ folder, env })
      expect(await versionsIn(after)).toEqual({ versions: [1], channels: count })
      await after.stop()
    } finally {
      rmSync(folder, { recursive: true, force: true })
      await database?.drop()
    }
  }, 180_000)
})
