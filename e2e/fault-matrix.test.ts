/**
 * Every upstream fault at every endpoint, whole and streamed, with another channel left and on the last one: what the client receives, what
 * is charged, what is retried and what is recorded against the channel. The table is `fault-matrix.txt`, which only changes on purpose:
 * `PARLEY_DEEP=1 PARLEY_GOLDEN=write` rewrites it. A twelfth of the cells is tried, all in a deep run.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { isDeep, sampled } from '#testing/sample'
import { respond, stream, wait } from '#testing/upstream/scripted-answers'
import { balance, type FaultGateway, startFaultGateway, type Trial } from './support/faults/gateway.ts'
import type { Place } from './support/faults/places.ts'
import { realtime, realtimeCell } from './support/faults/realtime.ts'
import { ask } from './support/faults/routes.ts'
import { type Mode, type Row, rows } from './support/faults/rows.ts'
import { type Source, sources } from './support/faults/sources.ts'
import { expectedOf, inWords, type Says, summaryOf, type Verdict } from './support/faults/verdict.ts'
import { strays } from './support/open-sockets.ts'

interface Cell extends Trial {
  row: Row
  at: string
  verdict: Verdict
  says: Says
}

const modes: readonly Mode[] = ['whole', 'streamed']
/** `left: ...` and `last: ...` by row, endpoint and mode; or why there is no cell. */
const table = new Map<string, Map<string, string>>()
const put = (row: Row, at: string, text: string) => {
  const title = `${row.id} ${row.what}`
  const cells = table.get(title) ?? new Map<string, string>()
  table.set(title, cells.set(at, text))
}

const allCells = rows.flatMap((row) => [
  ...Object.entries(sources).flatMap(([route, source]) => modes.flatMap((mode) => cellsOf(row, route, source, mode))),
  ...sessionsOf(row),
])
const cells = sampled(allCells, Math.ceil(allCells.length / 12))
const rowsTried = rows.filter((row) => cells.some((cell) => cell.row === row))

type Own = Pick<Cell, 'ask' | 'channel' | 'good' | 'scripts' | 'verdict' | 'says'>

/** With another channel left, and on the last one. */
function pair(row: Row, at: string, own: Own): Cell[] {
  put(row, at, '')
  return [true, false].map((left) => ({
    ...own,
    name: `${row.id} ${row.what}: ${at}, ${left ? 'another left' : 'the last'}`,
    payer: row.id,
    alone: /^R-UP-10/.test(row.id),
    left,
    ...(row.hangs && { timeouts: { connect: 1, firstEvent: 1, betweenEvents: 1 } }),
    row,
    at,
  }))
}

function cellsOf(row: Row, route: string, source: Source, mode: Mode): Cell[] {
  const at = `${route} ${mode}`
  const play = row[mode]
  const verdict = row.but?.(route, mode, source) ?? row.verdict
  const isStream = mode === 'streamed'
  const why = [isStream && !source.streamed && '- it does not stream', verdict, play].find(
    (one) => typeof one === 'string' && one.startsWith('- '),
  )
  if (typeof verdict === 'string' || typeof why === 'string') {
    put(row, at, String(why))
    return []
  }
  const { cost, says } = source
  return pair(row, at, {
    ask: (url, key, model) => ask(url, key, source.route, model, isStream),
    channel: source.channel,
    good: isStream ? stream(piecesOf(source)) : respond(200, { 'Content-Type': source.whole.type }, source.whole.body),
    scripts: typeof play === 'function' ? play(source) : (play as Place),
    verdict,
    says: { text: isStream ? says.streamed : says.whole, first: isStream ? says.first : '', cost, status: 200 },
  })
}

function sessionsOf(row: Row): Cell[] {
  const cell = realtimeCell(row)
  if (typeof cell !== 'string') return pair(row, 'realtime streamed', { ...realtime, scripts: cell.play, verdict: cell.verdict })
  put(row, 'realtime streamed', cell)
  return []
}

function piecesOf({ streamed }: Source): string[] {
  return streamed ? [streamed.opening, streamed.content, streamed.rest, streamed.finish] : []
}

const nano = (usd: string) => BigInt(Math.round(Number(usd) * 1e9))
const costs = new Map<string, bigint>()
let faulty: FaultGateway

beforeAll(async () => {
  faulty = await startFaultGateway(cells)
}, 90_000)

afterAll(() => faulty?.close())

async function hold(cell: Cell): Promise<void> {
  const { says, verdict, left } = cell
  const result = await faulty.run(cell)
  costs.set(cell.payer, (costs.get(cell.payer) ?? 0n) + nano(result.row.cost))
  const summary = summaryOf(result, says.cost)
  const so = table.get(`${cell.row.id} ${cell.row.what}`)?.get(cell.at) ?? ''
  put(
    cell.row,
    cell.at,
    [so, `${left ? 'left' : 'last'}: ${inWords(summary)}`]
      .filter((text) => text !== '')
      .toSorted()
      .reverse()
      .join('\n'),
  )
  // How much audio had passed before the break is random.
  const read = verdict.kind === 'behind' && verdict.broken && says.first === '' ? { ...summary, text: '' } : summary
  expect([cell.name, read]).toEqual([cell.name, expectedOf(verdict, cell, says)])
  expect(result.told.raw).not.toMatch(/org-secret|boom|sk-vendor|127\.0\.0\.1/)
  if (verdict.kind === 'before' && verdict.retryAfter !== undefined && !left) expect(result.told.retryAfter).toBe(verdict.retryAfter)
}

describe('the fault matrix', () => {
  test.each(rowsTried.map((row) => [`${row.id} ${row.what}`, row] as const))(
    '%s',
    async (_, row) => {
      const held = await Promise.allSettled(cells.filter((cell) => cell.row === row).map(hold))
      const failed = held.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
      if (failed.length > 0) throw new Error(`${failed.length} of ${held.length}\n${failed.join('\n')}`)
    },
    30_000,
  )

  test('every request was charged at most once, and nothing is held any more', async () => {
    for (const user of await faulty.money()) {
      expect([user.name, nano(user.balance), user.held]).toEqual([user.name, nano(balance) - (costs.get(user.name) ?? 0n), '0'])
    }
  })

  test('no connection is kept to an upstream that never answered', async () => {
    await until(() => faulty.waiting() === 0)
    expect(faulty.waiting()).toBe(0)
  })

  test('when the upstreams are gone, the program has no socket but its own port and who came there', async () => {
    const { program, url } = faulty.gateway
    await faulty.closeUpstreams()
    await until(() => strays(program.pid, url).length === 0)
    expect(strays(program.pid, url)).toEqual([])
  })

  test('no timer keeps the program from its end', async () => {
    const begun = performance.now()
    const { code } = await faulty.gateway.program.stop()
    expect(code).toBe(0)
    expect(performance.now() - begun).toBeLessThan(10_000)
  })

  test('the table is the one that was agreed on', () => {
    if (!isDeep) return expect(cells.length).toBeGreaterThan(100)
    const text = printed()
    process.stdout.write(text)
    const file = new URL('fault-matrix.txt', import.meta.url)
    if (process.env.PARLEY_GOLDEN === 'write') writeFileSync(file, text)
    expect(text).toBe(readFileSync(file, 'utf8'))
  })
})

/** Or not, after five seconds. */
async function until(holds: () => boolean): Promise<void> {
  for (let begun = performance.now(); !holds() && performance.now() - begun < 5_000; ) await wait(20)
}

/** Each row with its outcomes, and the endpoints with each outcome. */
function printed(): string {
  const blocks = [...table].map(([title, outcomes]) => {
    const alike = [...Map.groupBy(outcomes.keys(), (at) => outcomes.get(at) ?? '')]
    const lines = alike.map(([outcome, at]) => `  ${listed(at)}\n${outcome.replaceAll(/^/gm, '    ')}`)
    return `${title}\n${lines.join('\n')}\n`
  })
  return blocks.join('\n')
}

/** Endpoints by mode. */
function listed(places: readonly string[]): string {
  const byMode = Map.groupBy(places, (at) => at.split(' ')[1] ?? '')
  return [...byMode].map(([mode, at]) => `${mode}: ${at.map((one) => one.split(' ')[0]).join(', ')}`).join('; ')
}
