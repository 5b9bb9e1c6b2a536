/**
 * A process to be killed at any moment: it keeps the leased books of a data folder busy, and prints what a client would know. `replaying`,
 * `replayed` (if there was anything to replay) and `ready`: progress of the start. `asked ID`: a request arrived. `progress ID COST`:
 * content worth this much was delivered. `done ID COST`: the last byte of the answer was delivered. `releasing ID`: it is about to be
 * released without a charge. `refused ID`: its hold was refused. `pauseMs`: how long each of eight clients rests after a request.
 */
import { mkdirSync, writeSync } from 'node:fs'
import type { Account } from '#billing/lease/account'
import type { NewLog } from '#billing/ledger/books'
import { openLeasedBooks } from '#billing/ledger/leased-books'
import { replayedMessage } from '#billing/ledger/replay'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { createLog } from '#runtime/log'
import { openStore } from '#store/engine/open'
import { seeded } from '#testing/seeded'
import { usageRow } from '#testing/usage-row'

const [folder = '', databaseUrl = '', coverMs = '0', seed = '1', pauseMs = '0', ...wallets] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const store = await openStore({ dataFolder: folder, ...(databaseUrl === '' ? {} : { databaseUrl }), clock, random })
/** Writes synchronously, so that lines printed before the kill are in the pipe. */
function say(line: string): void {
  for (;;) {
    try {
      writeSync(1, `${line}\n`)
      return
    } catch (thrown) {
      // The pipe is full.
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EAGAIN')) throw thrown
    }
  }
}
say('replaying')
const log = { ...createLog('silent'), warn: (_: object, message: string) => message === replayedMessage && say('replayed') }
const books = await openLeasedBooks({
  store,
  clock,
  random,
  log,
  folder: `${folder}/journal`,
  installation: folder,
  fsync: 'never',
  maxBytes: 1024 * 1024,
  coverMs: Number(coverMs),
  writeOffMs: 86_400_000,
  settleWaits: true,
})
const seededRandom = seeded(Number(seed))

/** The budget of the one key of a wallet that has one. */
const budgetOf = (wallet: string): Account => ({
  id: `budget:key:${wallet}:total:`,
  budget: { limit: 1_000_000_000n, of: 'key', ofId: wallet, span: 'total', from: null, until: null },
})

/** Caps of the members of a wallet, which is then a team's; one of them is reached soon. */
const caps = { ann: 50_000n, bob: 1_000_000_000n }
const capOf = (wallet: string, name: keyof typeof caps): Account => {
  const ofId = `${wallet}.${name}`
  return { id: `budget:member:${ofId}:total:`, budget: { limit: caps[name], of: 'member', ofId, span: 'total', from: null, until: null } }
}

async function request(): Promise<void> {
  const wallet = wallets[seededRandom.below(wallets.length)] ?? ''
  const cap = seededRandom.pick([undefined, capOf(wallet, 'ann'), capOf(wallet, 'bob')])
  const bounded = seededRandom.below(2) === 0
  const id = random.hex(8)
  const at = new Date(clock.now())
  const row = (cost: bigint, more: Partial<NewLog> = {}) =>
    usageRow({
      requestId: id,
      at,
      userId: wallet,
      memberId: cap?.budget?.ofId ?? null,
      keyId: bounded ? wallet : null,
      stream: true,
      cost,
      ...more,
    })
  let amount = BigInt(10 + seededRandom.below(90))
  say(`asked ${id}`)
  try {
    await books.hold(id, [{ id: wallet }, ...(bounded ? [budgetOf(wallet)] : []), ...(cap ? [cap] : [])], amount)
  } catch {
    await books.record(row(0n, { end: 'error', status: 402 }))
    say(`refused ${id}`)
    return clock.sleep(5)
  }
  await clock.sleep(seededRandom.below(6))
  const half = amount / 2n
  books.progress(row(half, { end: 'error' }), seededRandom.below(2) === 0 ? 'soon' : undefined)
  // Whatever awaits something finds it written.
  await Promise.resolve()
  say(`progress ${id} ${half}`)
  if (seededRandom.below(4) === 0 && (await Promise.resolve(books.grow(id, 20n)).catch(() => false))) amount += 20n
  await clock.sleep(seededRandom.below(6))
  if (seededRandom.below(10) === 0) {
    say(`releasing ${id}`)
    await books.release(row(0n))
    say(`done ${id} 0`)
    return
  }
  await books.settle(row(amount))
  say(`done ${id} ${amount}`)
}

say('ready')
async function work(): Promise<void> {
  for (;;) {
    await request()
    if (pauseMs !== '0') await clock.sleep(Number(pauseMs))
  }
}
await Promise.all(Array.from({ length: 8 }, work))
