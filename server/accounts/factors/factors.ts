/**
 * Second factors of users: authenticator apps, passkeys, and recovery codes for when both are lost. Nothing here knows sessions; the caller
 * has verified whose factors these are. Start with `prove`.
 */
import type { Clock, Random } from '#runtime/clock'
import type { Sealer } from '#runtime/secrets'
import type { Actor } from '#shared/console/audit'
import type { AppRow, FactorGiven, FactorMethods, FactorRow, NewPasskey, PasskeyAnswer, PasskeyUse } from '#shared/console/session'
import { GatewayError } from '#shared/errors'
import type { FactorKind } from '#shared/ids'
import type { Static } from '#shared/typebox'
import { note, onRecord } from '#store/accounts/audit'
import {
  confirmFactor,
  countRecoveryCodes,
  deleteFactors,
  type FactorOwner,
  type FactorRecord,
  findPasskey,
  forgetChallenges,
  insertFactor,
  loadFactorOwner,
  loadFactorOwners,
  loadFactorsOf,
  replaceRecoveryCodes,
  takeRecoveryCode,
  takeStep,
  touchPasskey,
} from '#store/accounts/second-factors'
import { mirror } from '#store/engine/mirror'
import { sqlState, uniqueViolation } from '#store/engine/sql-state'
import type { Store } from '#store/engine/store'
import { createChallenges } from './challenges.ts'
import { appUri, newAppSecret, stepOfCode } from './one-time-codes.ts'
import { creationOptions, passkeySiteAt, readAnswer, readCreated, requestOptions } from './passkeys.ts'
import { newRecoveryCodes, recoveryDigest } from './recovery-codes.ts'

/** Factors that one user may have. */
const mostOfAUser = 20

/** The user whose factors these are: signed in, or in the middle of signing in. */
type Owner = Actor & { name: string }

/** What a passkey is requested for: `subject` is a session or a step; empty for a sign-in by the passkey alone. */
export interface PasskeyAsked {
  use: PasskeyUse
  subject: string
}

/** Second factors of users. */
export interface Factors {
  /** Whether passkeys work at the address of this installation. */
  readonly passkeys: boolean
  /** Whether the user has any. Synchronous, from memory. */
  has(userId: string): boolean
  /** The user's available methods, from the database: another instance may have just changed them. Undefined without any factor. */
  methodsOf(userId: string): Promise<FactorMethods | undefined>
  /** Confirmed ones, oldest first. */
  rowsOf(userId: string): Promise<FactorRow[]>
  recoveryCodesLeft(userId: string): Promise<number>
  /** An app, inactive until `confirmApp` has accepted a code of it. Throws `quota_exceeded`. */
  addApp(by: Owner, name: string): Promise<AppRow>
  /** Resolves to the recovery codes, if it is the first factor. Throws `not_found`, `invalid_value`, `quota_exceeded`. */
  confirmApp(by: Owner, id: string, code: string): Promise<string[]>
  /** Options for the browser to create a passkey. Throws `unsupported_here` where passkeys do not work at this address. */
  creationOptions(by: Owner, asked: PasskeyAsked): Promise<object>
  /** Options for the browser to request a passkey of this user, or of any. Throws `unsupported_here`. */
  requestOptions(userId: string | undefined, asked: PasskeyAsked): Promise<object>
  /** Resolves to the recovery codes, if it is the first factor. Throws `invalid_value`, `name_taken`, `quota_exceeded`. */
  addPasskey(by: Owner, fields: Static<typeof NewPasskey>, asked: PasskeyAsked): Promise<string[]>
  /** Replaces all codes by new ones. Throws `not_found` for a user without a factor. */
  renewRecoveryCodes(by: Owner): Promise<string[]>
  /** Removing the last one removes the recovery codes too. Throws `not_found`, and `still_in_use` for the last one if one is required. */
  remove(by: Owner, id: string, isRequired: boolean): Promise<void>
  /** Removes all factors and recovery codes of another user. */
  reset(by: Actor, user: { id: string; name: string }): Promise<void>
  /** Whether this proves the user's identity: a code or recovery code, each valid once; or one of their passkeys. */
  prove(userId: string, given: FactorGiven, asked: PasskeyAsked): Promise<boolean>
  /** The id of the user whose passkey signed this, with user verification by the device; undefined for anything else. */
  holderOf(answer: PasskeyAnswer): Promise<string | undefined>
  sweep(): Promise<void>
}

/** What `createFactors` needs. */
export interface FactorsParts {
  store: Store
  sealer: Sealer
  clock: Clock
  random: Random
  publicUrl: URL
}

/** Loads who has factors. */
export async function createFactors({ store, sealer, clock, random, publicUrl }: FactorsParts): Promise<Factors> {
  const site = passkeySiteAt(publicUrl)
  const challenges = createChallenges({ store, sealer, clock })
  /** Number of confirmed factors by user. */
  const counts = new Map<string, number>()
  await mirror<FactorOwner>(store, {
    table: 'second_factors',
    id: ({ id }) => id,
    loadAll: () => loadFactorOwners(store),
    load: (id) => loadFactorOwner(store, id),
    onChange(_, row, before) {
      if (before) counts.set(before.userId, (counts.get(before.userId) ?? 0) - 1)
      if (row) counts.set(row.userId, (counts.get(row.userId) ?? 0) + 1)
    },
  })
  const now = () => new Date(clock.now())
  const subjectOf = ({ use, subject }: PasskeyAsked, userId: string) => `${use} ${subject} ${userId}`
  const identity = (id: string) => `second_factors ${id}`
  const confirmedOf = async (store: Store, userId: string) => (await loadFactorsOf(store, userId)).filter(({ confirmed }) => confirmed)
  const passkeysOf = async (userId: string) => (await confirmedOf(store, userId)).filter(({ kind }) => kind === 'passkey')

  function demandSite() {
    if (site === undefined) throw noSite()
    return site
  }

  const blank = (by: Owner, kind: FactorKind, name: string): FactorRecord => ({
    ...{ id: random.base62(20), userId: by.id, kind, name, confirmed: false, sealed: null, credential: null, publicKey: null },
    ...{ transports: null, counter: 0, createdAt: now(), usedAt: null },
  })

  const record = (store: Store, by: Owner, verb: 'add' | 'remove', { kind, name }: Pick<FactorRecord, 'kind' | 'name'>) =>
    note(store, by, { action: `secondFactor.${verb}`, target: by.id, name: by.name, [verb === 'add' ? 'after' : 'before']: { kind, name } })

  /** Replaces all codes by new ones. */
  async function renew(store: Store, userId: string): Promise<string[]> {
    const codes = newRecoveryCodes(random)
    const digests = codes.map((code) => recoveryDigest(userId, code))
    await replaceRecoveryCodes(store, userId, digests, now())
    return codes
  }

  /** Throws `quota_exceeded`. Reliable only in the transaction that adds one. */
  async function demandRoom(store: Store, userId: string): Promise<void> {
    if ((await confirmedOf(store, userId)).length < mostOfAUser) return
    throw new GatewayError('quota_exceeded', `A user may have ${mostOfAUser} second factors. Remove one first.`)
  }

  async function provesByCode(userId: string, code: string): Promise<boolean> {
    for (const { id, sealed } of await confirmedOf(store, userId)) {
      const step = sealed === null ? undefined : await stepOfCode(sealer.open(sealed, identity(id)), code, clock.now())
      if (step !== undefined && (await takeStep(store, id, step, now()))) return true
    }
    return false
  }

  async function provesByPasskey(row: FactorRecord, answer: PasskeyAnswer, subject: string, alone: boolean): Promise<boolean> {
    const counter = await readAnswer(demandSite(), challenges, { subject, alone }, answer, row)
    if (counter === undefined) return false
    await touchPasskey(store, row.id, counter, now())
    return true
  }

  return {
    passkeys: site !== undefined,
    has: (userId) => (counts.get(userId) ?? 0) > 0,
    async methodsOf(userId) {
      const kinds = new Set((await confirmedOf(store, userId)).map(({ kind }) => kind))
      if (kinds.size === 0) return undefined
      const recoveryCode = (await countRecoveryCodes(store, userId)) > 0
      return { app: kinds.has('app'), passkey: kinds.has('passkey') && site !== undefined, recoveryCode }
    },
    rowsOf: async (userId) => (await confirmedOf(store, userId)).map(rowOf),
    recoveryCodesLeft: (userId) => countRecoveryCodes(store, userId),
    async addApp(by, name) {
      await demandRoom(store, by.id)
      const row = blank(by, 'app', name)
      const secret = await newAppSecret(random)
      await deleteFactors(store, by.id, 'unconfirmed')
      await insertFactor(store, { ...row, sealed: sealer.seal(secret, identity(row.id)) })
      return { id: row.id, secret, uri: await appUri(secret, `Parley ${publicUrl.host}`, by.name) }
    },
    async confirmApp(by, id, code) {
      const row = (await loadFactorsOf(store, by.id)).find((one) => one.id === id && !one.confirmed)
      if (row?.sealed == null) throw notFound()
      const step = await stepOfCode(sealer.open(row.sealed, identity(id)), code, clock.now())
      if (step === undefined) throw invalidCode('code')
      return onRecord(store, async (store) => {
        await demandRoom(store, by.id)
        const isFirst = (await confirmedOf(store, by.id)).length === 0
        if (!(await confirmFactor(store, id, step, now()))) throw notFound()
        await record(store, by, 'add', row)
        return isFirst ? renew(store, by.id) : []
      })
    },
    async creationOptions(by, asked) {
      return creationOptions(demandSite(), by, await passkeysOf(by.id), challenges.make(subjectOf(asked, by.id)))
    },
    async requestOptions(userId, asked) {
      const known = userId === undefined ? undefined : await passkeysOf(userId)
      return requestOptions(demandSite(), known, challenges.make(subjectOf(asked, userId ?? '')))
    },
    async addPasskey(by, { name, passkey }, asked) {
      const made = await readCreated(demandSite(), challenges, subjectOf(asked, by.id), passkey)
      if (made === undefined) throw invalidCode('passkey')
      const row = { ...blank(by, 'passkey', name), ...made, confirmed: true }
      return onRecord(store, async (store) => {
        await demandRoom(store, by.id)
        const isFirst = (await confirmedOf(store, by.id)).length === 0
        await insertFactor(store, row)
        await record(store, by, 'add', row)
        return isFirst ? renew(store, by.id) : []
      }).catch((thrown: unknown) => {
        throw sqlState(thrown) === uniqueViolation ? passkeyTaken() : thrown
      })
    },
    async renewRecoveryCodes(by) {
      return onRecord(store, async (store) => {
        if ((await confirmedOf(store, by.id)).length === 0) throw notFound()
        await note(store, by, { action: 'recoveryCodes.renew', target: by.id, name: by.name })
        return renew(store, by.id)
      })
    },
    async remove(by, id, isRequired) {
      // These transactions are serialised, so that of two concurrent removals the later one sees what the first has left.
      await onRecord(store, async (store) => {
        const known = await confirmedOf(store, by.id)
        const row = known.find((one) => one.id === id)
        if (row === undefined) throw notFound()
        if (known.length === 1 && isRequired) throw stillAsked()
        await deleteFactors(store, by.id, { id })
        if (known.length === 1) await replaceRecoveryCodes(store, by.id, [], now())
        await record(store, by, 'remove', row)
      })
    },
    async reset(by, { id, name }) {
      await onRecord(store, async (store) => {
        const kinds = (await confirmedOf(store, id)).map(({ kind, name }) => ({ kind, name }))
        await deleteFactors(store, id, 'all')
        await replaceRecoveryCodes(store, id, [], now())
        await note(store, by, { action: 'secondFactor.reset', target: id, name, before: { factors: kinds } })
      })
    },
    async prove(userId, { code, recoveryCode, passkey }, asked) {
      if (code !== undefined) return provesByCode(userId, code)
      if (recoveryCode !== undefined) return takeRecoveryCode(store, userId, recoveryDigest(userId, recoveryCode), now())
      const row = passkey && (await findPasskey(store, passkey.id))
      if (passkey === undefined || row?.userId !== userId) return false
      return provesByPasskey(row, passkey, subjectOf(asked, userId), false)
    },
    async holderOf(answer) {
      const row = await findPasskey(store, answer.id)
      const asked = { use: 'sign-in', subject: '' } as const
      return row && (await provesByPasskey(row, answer, subjectOf(asked, ''), true)) ? row.userId : undefined
    },
    sweep: () => forgetChallenges(store, now()),
  }
}

const rowOf = ({ id, kind, name, createdAt, usedAt }: FactorRecord): FactorRow => ({
  ...{ id, kind, name },
  createdAt: createdAt.toISOString(),
  lastUsedAt: usedAt?.toISOString() ?? null,
})

const notFound = () => new GatewayError('not_found', 'There is nothing with this id, or it is not yours.')
const stillAsked = () =>
  new GatewayError('still_in_use', 'This installation requires a second factor, and this is your last one. Add another one first.')
const invalidCode = (param: string) =>
  new GatewayError('invalid_value', 'This code or passkey is not valid, or was already used. Codes change every 30 seconds.', { param })
const passkeyTaken = () => new GatewayError('name_taken', 'This passkey is already registered.', { param: 'passkey' })
const noSite = () =>
  new GatewayError(
    'unsupported_here',
    'Passkeys need an address that browsers trust: set PARLEY_PUBLIC_URL to an https:// address with a name, or to http://localhost.',
  )
