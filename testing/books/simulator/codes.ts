/**
 * Codes that several clients redeem at once, at any instance, and again at any instance if they get no answer. Marked and credited
 * together, once: `judgeCodes`. Drawn independently of the rest of a seed.
 */
import { sql } from 'drizzle-orm'
import { createCodes } from '#accounts/selling/codes'
import { sha256Hex } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'
import { insertCodes } from '#store/accounts/codes'
import { returned } from '#store/engine/rows'
import type { Store } from '#store/engine/store'
import { seeded } from '#testing/seeded'
import type { Cluster, Redeem, Site } from './cluster.ts'
import type { BooksDatabase } from './database.ts'

/** The answers that clients got for codes. */
export interface CodeRecord {
  /** How often a client was told that it redeemed a code, by code. */
  acknowledged: Map<string, number>
  counts: { redeemed: number; 'codes refused': number; 'codes without an answer': number }
}

const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Makes codes, and plans the attempts to redeem them; `redeem`: a wrong design. */
export async function planCodes(
  database: BooksDatabase,
  cluster: Cluster,
  { seed, wallets, activeMs, redeem }: { seed: number; wallets: readonly [string, ...string[]]; activeMs: number; redeem?: Redeem },
): Promise<CodeRecord> {
  const random = seeded(seed * 7_817 + 3)
  const record: CodeRecord = { acknowledged: new Map(), counts: { redeemed: 0, 'codes refused': 0, 'codes without an answer': 0 } }
  const codes = Array.from({ length: 2 + random.below(5) }, (_, n) => ({
    id: `${seed}-c${n}`,
    code: Array.from({ length: 24 }, () => letters[random.below(32)]).join(''),
    value: BigInt(1 + random.below(300)),
  }))
  const nothing = { planId: null, days: null, group: null, forUser: null, expiresAt: null, revokedAt: null, redeemedAt: null }
  const rows = codes.map(({ id, code, value }) => ({
    ...{ id, value, batch: 'b', digest: sha256Hex(code), hint: '...', note: '', createdAt: new Date(cluster.clock.now()) },
    ...{ ...nothing, redeemedBy: null, walletId: null },
  }))
  await insertCodes(database.store, rows)
  const right: Redeem = ({ store, clock }, walletId, code) => {
    const parts = { store, directory: database.directory, clock, random: { ...random, hex: () => '', base62: () => '' } }
    const user = { ...database.user, id: walletId, name: walletId }
    return createCodes(parts).redeem(user, { code }, '192.0.2.1')
  }

  async function attempt(site: Site, walletId: string, { id, code }: (typeof codes)[number], tries: number): Promise<void> {
    const { store, process } = site
    if (!store || !process) return
    try {
      await (redeem ?? right)({ store, clock: process.clock }, walletId, code)
      record.acknowledged.set(id, (record.acknowledged.get(id) ?? 0) + 1)
      record.counts.redeemed += 1
    } catch (thrown) {
      if (thrown instanceof GatewayError && ['invalid_code', 'code_used'].includes(thrown.code)) record.counts['codes refused'] += 1
      else {
        record.counts['codes without an answer'] += 1
        // Without an answer, a person tries again, at any instance.
        const next = cluster.sites[random.below(cluster.sites.length)]
        if (tries > 0 && next)
          cluster.clock.after(random.below(500), () => void attempt(next, walletId, { id, code, value: 0n }, tries - 1))
      }
    }
  }

  for (const code of codes) {
    const at = random.fraction() * activeMs
    for (let count = 1 + random.below(4); count > 0; count--) {
      const site = cluster.sites[random.below(cluster.sites.length)]
      const wallet = random.pick(wallets)
      if (site) cluster.clock.after(at + random.below(random.pick([5, 400])), () => void attempt(site, wallet, code, 3))
    }
  }
  return record
}

const state = sql`
  select c.id, c.wallet_id as wallet, c.value::text as value, c.redeemed_at is not null as marked,
    (select coalesce(sum(e.amount), 0)::text from entries e where e.ref = 'code:' || c.id and e.wallet_id = c.wallet_id) as credited,
    (select count(*)::int from entries e where e.ref = 'code:' || c.id) as entries
  from codes c`

/** Broken rules of codes; adds what they credited to `posted`. */
export async function judgeCodes({ db }: Store, { acknowledged }: CodeRecord, posted: Map<string, bigint>): Promise<string[]> {
  type Row = { id: string; wallet: string | null; value: string; marked: boolean; credited: string; entries: number }
  return returned<Row>(await db.execute(state)).flatMap(({ id, wallet, value, marked, credited, entries }) => {
    if (wallet !== null) posted.set(wallet, (posted.get(wallet) ?? 0n) + BigInt(credited))
    const times = acknowledged.get(id) ?? 0
    return [
      ...(entries === Number(marked) && credited === (marked ? value : '0')
        ? []
        : [`code: ${id} of ${value} is ${marked ? '' : 'not '}marked, and ${credited} were credited in ${entries} entries`]),
      ...(times > Number(marked) ? [`code: ${id} was redeemed for ${times} clients`] : []),
    ]
  })
}
