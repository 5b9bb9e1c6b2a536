/** Backups on a timer, of a serving Parley: created, pruned, reported in the metrics, and tried by the restore drill. */
import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sampledEngines } from '#testing/database/database'
import { runDb } from './support/db-command.ts'
import { type Gateway, startGateway } from './support/gateway.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-backups-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const namesIn = (kept: string) => (existsSync(kept) ? readdirSync(kept).filter((name) => name.endsWith('.backup')) : [])

async function metricsOf({ program }: Gateway): Promise<(name: string) => number> {
  const url = /^Metrics on (\S+)$/m.exec(program.output())?.[1] ?? ''
  const text = await (await fetch(url)).text()
  return (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

test.each(sampledEngines(import.meta.file))(
  'backups on a timer on %s',
  async (engine) => {
    const kept = join(folder, engine, 'backups')
    const env = {
      PARLEY_METRICS: '127.0.0.1:0',
      PARLEY_DEMO: 'on',
      PARLEY_BACKUPS: kept,
      PARLEY_BACKUPS_EVERY: '1s',
      PARLEY_BACKUPS_KEEP: '2',
    }
    const gateway = await startGateway(engine, { env, folder: mkdtempSync(join(folder, 'program-')) })
    const ask = () =>
      fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'parley-demo', messages: [{ role: 'user', content: 'Hi' }] }),
      })
    try {
      const seen = new Set<string>()
      // Requests continue meanwhile.
      while (seen.size < 4) {
        await Bun.sleep(50)
        expect((await ask()).status).toBe(200)
        for (const name of namesIn(kept)) seen.add(name)
      }
      const metric = await metricsOf(gateway)
      expect([metric('parley_backup_interval_seconds'), metric('parley_backup_failures_total')]).toEqual([1, 0])
      expect(Date.now() / 1000 - metric('parley_last_backup_timestamp_seconds')).toBeWithin(-1, 30)
    } finally {
      await gateway.close()
    }
    expect(namesIn(kept).length).toBeWithin(1, 4)

    const drilled = await runDb(['drill'], { PARLEY_BACKUPS: kept, PARLEY_DATA: join(gateway.program.folder, 'data') })
    expect([drilled.complaint, drilled.code]).toEqual(['', 0])
    expect(drilled.said).toMatch(/was made at \S+: restored \d+ rows of \d+ tables in [\d.]+ s, with their checksums\./)
    expect(drilled.said).toContain(': exact.')
    const newest = join(kept, namesIn(kept).sort().at(-1) ?? '')
    writeFileSync(newest, 'cut short')
    expect(await runDb(['drill'], { PARLEY_BACKUPS: kept })).toMatchObject({ code: 1, complaint: expect.stringContaining('is damaged') })
    expect(await runDb(['drill'])).toMatchObject({ code: 1, complaint: expect.stringContaining('PARLEY_BACKUPS') })
  },
  120_000,
)
