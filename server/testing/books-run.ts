/**
 * Run as its own process, to be killed at any moment: keeps the leased books of a data folder busy and says on standard output
 * what a client would know. `progress ID COST`: so much has been delivered. `done ID COST`: the answer has its last byte.
 */
import { mkdirSync } from 'node:fs'
import type { NewLog } from '#metering/books'
import { openLeasedBooks } from '#metering/leased-books'
import { systemClock as clock, systemDice as dice } from '#runtime/clock'
import { createLog } from '#runtime/log'
import { openStore } from '#store/open'
import { seeded } from './seeded.ts'

const [folder = '', databaseUrl = '', coverMs = '0', seed = '1', ...wallets] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const store = await openStore({ dataFolder: folder, ...(databaseUrl === '' ? {} : { databaseUrl }), clock, dice })
const books = await openLeasedBooks({
  store,
  clock,
  dice,
  log: createLog('silent'),
  folder: `${folder}/journal`,
  installation: folder,
  fsync: 'never',
  maxBytes: 64 * 1024 * 1024,
  coverMs: Number(coverMs),
  writeOffMs: 86_400_000,
  settleWaits: false,
})
const random = seeded(Number(seed))
const say = (line: string) => process.stdout.write(`${line}\n`)

async function request(): Promise<void> {
  const wallet = wallets[random.below(wallets.length)] ?? ''
  const id = dice.hex(8)
  const row = (cost: bigint): NewLog => ({
    requestId: id,
    at: new Date(clock.now()),
    userId: wallet,
    group: 'default',
    model: 'm',
    operation: 'generate',
    dialect: 'chat',
    stream: true,
    status: 200,
    end: 'complete',
    cost,
    losses: [],
    totalMs: 1,
    attempts: [],
  })
  const amount = BigInt(10 + random.below(90))
  try {
    await books.hold(id, [{ id: wallet }], amount)
  } catch {
    await books.record({ ...row(0n), end: 'error', status: 402 })
    return clock.sleep(5)
  }
  await clock.sleep(random.below(4))
  const half = amount / 2n
  books.progress({ ...row(half), end: 'error' })
  say(`progress ${id} ${half}`)
  await clock.sleep(random.below(4))
  if (random.below(10) === 0) return books.release(row(0n))
  await books.settle(row(amount))
  say(`done ${id} ${amount}`)
}

say('ready')
async function work(): Promise<void> {
  for (;;) await request()
}
await Promise.all(Array.from({ length: 8 }, work))
