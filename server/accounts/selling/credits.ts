/**
 * Credits of payment systems: each is posted once under the payment's own reference, and refunded in part or whole. The rules: the same
 * reference with the same fields returns the same row again; with others it is a conflict. A refund takes no more than is left of its
 * credit, and no more than the wallet can spare.
 */
import type { Directory } from '#accounts/directory'
import { invalid, readUsd } from '#accounts/refusals'
import { refusedCredit } from '#accounts/wallets'
import type { Actor } from '#shared/console/audit'
import type { CreditRow, NewCredit, NewRefund } from '#shared/console/selling'
import { GatewayError } from '#shared/errors'
import { isTeamId } from '#shared/ids'
import { formatUsd } from '#shared/money'
import { type Note, note } from '#store/accounts/audit'
import { type CreditRecord, type Posted, pageCredits, postPayment, postRefund, type RefundRefusal } from '#store/accounts/credits'
import type { Store } from '#store/engine/store'
import { payersLike } from './payers.ts'
import type { PlanParts } from './plans.ts'

/** Where a page of credits ended. */
export interface CreditCursor {
  at: Date
  reference: string
}

/** Posts and lists credits and refunds of payment systems. For administrators. */
export interface Credits {
  /**
   * Newest first. `reference`: that credit and its refunds; `wallet`: id or name of a user or team; `q`: part of the reference, the reason
   * or the name of the wallet.
   */
  page(asked: {
    limit: number
    after?: CreditCursor
    reference?: string
    wallet?: string
    kind?: 'credit' | 'refund'
    q?: string
  }): Promise<{ rows: CreditRow[]; more: CreditCursor | null }>
  /** Throws `invalid_value`, `idempotency_conflict`. */
  credit(by: Actor, fields: NewCredit): Promise<CreditRow>
  /** Throws `not_found`, `invalid_value`, `idempotency_conflict`, `refund_too_large`, `balance_too_low`. */
  refund(by: Actor, fields: NewRefund): Promise<CreditRow>
}

/** Credits over the store and the directory. */
export function createCredits({ store, directory, clock }: PlanParts): Credits {
  const rowOf = ({ walletId, amount, at, reference, refundOf, reason }: CreditRecord): CreditRow => {
    const isTeam = isTeamId(walletId)
    const name = isTeam ? directory.teams.get(walletId)?.team.name : directory.users.get(walletId)?.name
    const wallet = { id: walletId, name: name ?? null, of: isTeam ? ('team' as const) : ('user' as const) }
    return { reference, of: refundOf, wallet, amount: formatUsd(amount), reason, at: at.toISOString() }
  }
  /** The audit entry of a posting. */
  const noteOf = (how: 'payment' | 'refund', row: CreditRecord): Note => {
    const { wallet, amount, reason, reference } = rowOf(row)
    return { action: `${wallet.of}.${how}`, target: wallet.id, name: wallet.name ?? wallet.id, after: { amount, reason, reference } }
  }

  return {
    async page({ limit, after, reference, wallet, kind, q }) {
      const found = await pageCredits(store, {
        limit,
        ...(after && { after }),
        ...(reference !== undefined && { reference }),
        ...(wallet !== undefined && { walletId: walletNamed(directory, wallet) ?? wallet }),
        ...(kind && { kind }),
        ...(q !== undefined && { words: { text: q, walletIds: payersLike(directory, q) } }),
      })
      const rows = found.slice(0, limit)
      const last = found.length > limit ? rows.at(-1) : undefined
      const listed = rows.map((row) => ({ ...rowOf(row), refunded: formatUsd(row.refunded) }))
      return { rows: listed, more: last ? { at: last.at, reference: last.reference } : null }
    },
    async credit(by, { reference, user, team, amount: text, reason = 'payment' }) {
      const amount = readUsd(text, 'amount')
      if (amount === 0n) throw invalid('amount', 'an amount above zero')
      if ((user === undefined) === (team === undefined)) throw invalid('user', 'a user or a team, not both')
      const walletId = payerNamed(directory, user, team)
      const asked = JSON.stringify([walletId, formatUsd(amount), reason])
      const row = { reference, walletId, amount, asked, reason, refundOf: null, at: new Date(clock.now()) }
      const beside = (store: Store) => note(store, by, noteOf('payment', row))
      const posted = await postPayment(store, row, by.id, beside).catch((thrown: unknown) => {
        throw refusedCredit(thrown)
      })
      return rowOf(demandPosted(posted))
    },
    async refund(by, { reference, of, amount: text, partial = false, reason = 'refund' }) {
      const amount = text === undefined ? undefined : readUsd(text, 'amount')
      if (amount === 0n) throw invalid('amount', 'an amount above zero')
      const asked = JSON.stringify([of, amount === undefined ? null : formatUsd(amount), partial, reason])
      const refund = { reference, of, amount, partial, reason, asked, actor: by.id, at: new Date(clock.now()) }
      return rowOf(demandPosted(await postRefund(store, refund, (store, row) => note(store, by, noteOf('refund', row)))))
    },
  }
}

/** The wallet of the user or team with this id or name. */
function walletNamed(directory: Directory, word: string): string | undefined {
  const { users, teams } = directory
  const team = teams.get(word) ?? directory.teamNamed(word)
  return (users.get(word) ?? directory.userNamed(word))?.id ?? team?.team.id
}

function payerNamed(directory: Directory, user: string | undefined, team: string | undefined): string {
  if (team !== undefined) {
    const found = (directory.teams.get(team) ?? directory.teamNamed(team))?.team
    if (found === undefined) throw invalid('team', 'the id or the name of a team')
    return found.id
  }
  const found = directory.users.get(user ?? '') ?? directory.userNamed(user ?? '')
  if (found === undefined) throw invalid('user', 'the id or the name of a user')
  return found.id
}

function demandPosted(posted: Posted | RefundRefusal): CreditRecord {
  if (typeof posted === 'object') return posted.row
  if (posted === 'conflict') {
    throw new GatewayError('idempotency_conflict', 'This reference was already used for a different posting.', { param: 'reference' })
  }
  if (posted === 'unknown') throw new GatewayError('not_found', 'No credit has this reference.', { param: 'of' })
  if (posted === 'exceeds') {
    throw new GatewayError('refund_too_large', 'This is more than is left of the credit after earlier refunds.', { param: 'amount' })
  }
  throw new GatewayError(
    'balance_too_low',
    'The wallet has too little: the rest was spent, or is held for running requests. Send partial: true to take what is left.',
    { param: 'amount' },
  )
}
