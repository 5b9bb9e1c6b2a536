/**
 * Planted faults: wrong designs of leases, each simpler than the correct one, which the checks of the books must detect. They change a
 * test's own database or files, never the program.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { encodeLine, readLines } from '#billing/journal/journal-line'
import { sha256Hex } from '#runtime/secrets'
import { namesIn } from '#runtime/segment'
import { GatewayError } from '#shared/errors'
import { codeWithDigest, takeCode } from '#store/accounts/codes'
import { returned } from '#store/engine/rows'
import type { Store } from '#store/engine/store'
import { closeInstance } from '#store/ledger/instances'
import { postGrant } from '#store/ledger/ledger'
import { runSql } from '#testing/database/tables'
import type { BooksDatabase } from './database.ts'
import type { NetworkFaults } from './network-faults.ts'
import type { Variant } from './run.ts'

/** Replaces a text in the database function behind every call. Throws unless the text occurs exactly once. */
async function rewrite(store: Store, from: string, to: string): Promise<void> {
  const [row] = returned<{ text: string }>(await store.db.execute(sql`select pg_get_functiondef('books_sync'::regproc) as text`))
  const text = row?.text ?? ''
  if (text.split(from).length !== 2) throw new Error(`the text must occur exactly once in books_sync: ${from}`)
  await runSql(store, text.replace(from, to))
}

/** An abandoned call may still take effect. */
export const unfenced = ({ store }: BooksDatabase): Promise<void> =>
  rewrite(
    store,
    'SET seq = my_seq, seen = clock_timestamp()\n\tWHERE instances.id = me AND instances.seq < my_seq AND',
    'SET seq = greatest(seq, my_seq), seen = clock_timestamp()\n\tWHERE instances.id = me AND',
  )

/** Delays mainly the calls that return lease amounts, which do harm when late. */
export const lateReturns: Partial<NetworkFaults> = {
  bad: 0.01,
  slowMs: 4,
  faults: ['late'],
  prone: { share: 0.15, which: /books_sync.*"back":"[1-9]/s },
}

/** A journal line that is sent again is written again. */
export async function writtenAgain({ store }: BooksDatabase): Promise<void> {
  const known = /WHERE NOT EXISTS \(\s*SELECT FROM logs WHERE logs\.at = [^\n]+\n\s*\)/
  const [row] = returned<{ text: string }>(await store.db.execute(sql`select pg_get_functiondef('books_sync'::regproc) as text`))
  const found = known.exec(row?.text ?? '')?.[0]
  if (found === undefined) throw new Error('books_sync does not check for existing rows')
  await rewrite(store, found, '')
  await runSql(store, 'alter table logs drop constraint logs_at_request_id_pk')
  await runSql(store, 'alter table entries drop constraint entries_ref_unique')
}

/** The leases of a dead process are returned at once, before its journal is read. */
export const returnedEarly = ({ store }: BooksDatabase): Variant => ({
  async killed({ folder }) {
    for (const name of await namesIn(folder)) if (/^\d+$/.test(name)) await closeInstance(store, BigInt(name))
  },
})

/** An instance ignores the news that commits were lost. */
export const unaware: Variant = {
  losesCommits: true,
  answers: (database) => ({
    ...database,
    async resync(call, withinMs) {
      const answer = await database.resync(call, withinMs)
      return answer.leases ? { ...answer, forgot: false } : answer
    },
  }),
}

/** An instance spends its leases long after the others have written them off. */
export const believesTooLong: Variant = { writeOffMs: 1_000, believedMs: 86_400_000, isCrowded: true, longestCutMs: 8_000 }

/** The journal only contains the ends of requests. */
export const endsOnly: Variant = {
  async killed({ folder }) {
    for (const name of await namesIn(folder)) {
      for (const file of await namesIn(join(folder, name))) {
        const path = join(folder, name, file)
        const bytes = await readFile(path)
        const kept = [...readLines(bytes)].filter((line) => line?.kind === 'v' || line?.kind === 's')
        await writeFile(path, Buffer.concat([...kept.map(encodeLine), new Uint8Array(1)]))
      }
    }
  },
}

/** A code is marked in one call and credited in another. */
export const markedFirst: Variant = {
  async redeem({ store, clock }, walletId, code) {
    const at = new Date(clock.now())
    const known = await codeWithDigest(store, sha256Hex(code))
    const taken = known && (await takeCode(store, known.id, { at, userId: walletId, walletId }))
    if (!taken) throw new GatewayError('invalid_code', 'not valid')
    const posting = { walletId, kind: 'credit', actor: walletId, reason: 'code', ref: `code:${taken.id}`, amount: taken.value } as const
    await postGrant(store.db, { ...posting, at })
  },
}
