/** From a credential to a Caller, synchronously and from memory. Every reason for rejecting a key gives the same error. */
import type { Clock } from '#runtime/clock'
import { sha256Hex } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'
import { memberIdOf } from '#shared/ids'
import { inBoth } from '#shared/model-pattern'
import { inForce } from '#shared/plan-windows'
import type { Caller, Group, Sender, User } from './caller.ts'
import { type Directory, type KnownKey, type KnownTeam, usableGroup, usableGroups } from './directory.ts'
import type { LastUsed } from './last-used.ts'
import { addressNotAllowed, groupNotAllowed, teamNotAllowed } from './refusals.ts'
import type { Sessions } from './sessions.ts'
import { maySpend, roleIn } from './team-rights.ts'

const badKey = () => new GatewayError('invalid_api_key', 'The API key is missing or not valid.')
const withdrawnModel = () => new GatewayError('model_not_found', 'The key may no longer use the model of this request.', { param: 'model' })
const notSignedIn = () => new GatewayError('not_signed_in', 'Sign in first.')

/** Anything else is rejected before it is hashed. */
const keyForm = /^sk-[\x21-\x7e]{8,200}$/

/** Size of the digest cache. */
const mostDigests = 10_000

/** Resolves credentials to callers, from memory. */
export interface Admission {
  /**
   * Throws `invalid_api_key` for a key that is malformed, unknown, disabled, expired or of a disabled user; `group_not_allowed`;
   * `address_not_allowed` where the key is limited to other addresses.
   */
  admitKey(secret: string, from?: Sender): Caller
  /**
   * Why an admitted request must stop: its key, session, user or group is no longer valid, or its key no longer has this model.
   * Undefined = it may continue. Cheap.
   */
  refusalOf(caller: Caller, model?: string): GatewayError | undefined
  /**
   * For `/pg`: the session's user in the requested group, or else in their default group; with `team`, an id or a name, paid by
   * that team and in its groups. Throws `not_signed_in`, `group_not_allowed`, `team_not_allowed`.
   */
  admitSession(token: string | undefined, group?: string, team?: string): Caller
  /**
   * The caller that a request with this key would have, without recording a use. `key` is an id or a name that is unique among the
   * user's keys; without a key the user, or the team of this id or name. Throws `not_found`, `group_not_allowed`, `team_not_allowed`.
   */
  callerOf(user: User, key?: string, group?: string, team?: string): Caller
  /**
   * The caller of the key of this id, for work that continues without its secret; undefined when it may no longer send requests, or not
   * from this address. `address` absent: any. `digest`: that of the secret that began it, which must be valid, too.
   */
  callerWithKey(id: string, address?: string, digest?: string): Caller | undefined
  /** The groups the user may use now, by name. */
  groupsOf(user: User): Group[]
  /**
   * Whose groups and models apply to this user's requests: their own, or those of the team of this id or name, of which they are a member
   * (administrators: any). Throws `team_not_allowed`.
   */
  payerFor(user: User, team?: string): Payer
}

/** A user, or a team in place of one. */
export interface Payer {
  user: User
  /** Null = every model of its groups. */
  models: ReadonlySet<string> | null
}

/** What `createAdmission` needs. */
export interface AdmissionParts {
  directory: Directory
  clock: Clock
  keyUses: LastUsed
  sessions: Pick<Sessions, 'userOfSession' | 'nameOf' | 'isLive'>
}

/** Admission over the directory; records each use of a key in `keyUses`. */
export function createAdmission({ directory, clock, keyUses, sessions }: AdmissionParts): Admission {
  /** Digests of keys that exist, by their secret: a digest is computed once, not for every request. */
  const digests = new Map<string, string>()

  function knownKey(secret: string): KnownKey | undefined {
    const seen = digests.get(secret)
    if (seen !== undefined) return withDigest(seen)
    if (!keyForm.test(secret)) return undefined
    const digest = sha256Hex(secret)
    const known = withDigest(digest)
    if (!known) return undefined
    if (digests.size >= mostDigests) digests.clear()
    digests.set(secret, digest)
    return known
  }

  /** The current key of this digest; a digest from before the last rotation stays valid during its overlap. */
  function withDigest(digest: string): KnownKey | undefined {
    const known = current(directory.keyWithDigest(digest))
    if (known === undefined || known.digest === digest) return known
    return (known.key.previousUntil?.getTime() ?? 0) > clock.now() ? known : undefined
  }

  /** The key if it is enabled and has not expired. */
  function current(known: KnownKey | undefined): KnownKey | undefined {
    if (!known?.key.enabled) return undefined
    const { expiresAt } = known.key
    return expiresAt === null || expiresAt.getTime() > clock.now() ? known : undefined
  }

  function groupFor(user: User, name: string): Group {
    const group = usableGroup(directory, user, name)
    if (group === undefined) throw groupNotAllowed()
    return group
  }

  /** The caller with the team paying: restricted to the team's models, with the member's cap if the member still exists. */
  function forTeam(caller: Caller, { team, models }: KnownTeam, userId: string): Caller {
    const member = directory.members.get(memberIdOf(team.id, userId))
    return { ...caller, team, member, models: inBoth(caller.models, models) }
  }

  const teamOf = (named: string) => directory.teams.get(named) ?? directory.teamNamed(named)

  /** The team of this id or name, which the user may spend from. */
  function teamFor(user: User, named: string): KnownTeam {
    const team = teamOf(named)
    if (!team?.team.enabled || !maySpend(directory.members.get(memberIdOf(team.team.id, user.id)))) throw teamNotAllowed()
    return team
  }

  /** The caller that a request with this key would have, in its own group or this one; undefined without a payer. Throws as `groupFor`. */
  function callerFor(known: KnownKey | undefined, inGroup?: string): Caller | undefined {
    const team = known && known.key.teamId !== null ? directory.teams.get(known.key.teamId) : undefined
    const user = known && (known.key.teamId === null ? directory.users.get(known.key.userId) : team?.payer)
    if (known === undefined || user === undefined) return undefined
    const { key, models } = known
    const payer = user.plan ? withPlan(user, clock.now()) : user
    const group = groupFor(payer, inGroup ?? key.group ?? payer.group)
    const caller: Caller = { user: payer, key, group, models, strict: key.strict }
    return team ? forTeam(caller, team, key.userId) : caller
  }

  /**
   * The caller of a user without a key, paid by the user, or by the team of this id or name. Throws `group_not_allowed`,
   * `team_not_allowed`.
   */
  function callerWithoutKey(user: User, group: string | undefined, named: string | undefined): Caller {
    const team = named === undefined ? undefined : teamFor(user, named)
    const found = team?.payer ?? user
    const payer = found.plan ? withPlan(found, clock.now()) : found
    const caller = { user: payer, key: null, group: groupFor(payer, group ?? payer.group), models: null, strict: false }
    return team ? forTeam(caller, team, user.id) : caller
  }

  return {
    admitKey(secret, from) {
      const known = knownKey(secret)
      const team = known && known.key.teamId !== null ? directory.teams.get(known.key.teamId) : undefined
      const owner = known && (known.key.teamId === null ? directory.users.get(known.key.userId) : team?.payer)
      if (known === undefined || !owner?.enabled) throw badKey()
      const { key, models } = known
      const user = owner.plan ? withPlan(owner, clock.now()) : owner
      const group = groupFor(user, key.group ?? user.group)
      if (key.addresses !== null && !known.allows(from?.clientAddress ?? '')) throw addressNotAllowed()
      keyUses.touch(key.id, clock.now(), from)
      const caller: Caller = { user, key, group, models, strict: key.strict }
      return team ? forTeam(caller, team, key.userId) : caller
    },
    callerWithKey(id, address, digest) {
      const known = digest === undefined ? current(directory.keys.get(id)) : withDigest(digest)
      if (known?.key.id !== id) return undefined
      if (address !== undefined && !known.allows(address)) return undefined
      try {
        const caller = callerFor(known)
        return caller?.user.enabled ? caller : undefined
      } catch (thrown) {
        if (thrown instanceof GatewayError) return undefined
        throw thrown
      }
    },
    refusalOf({ key, user, team, member, group, session }, model) {
      const known = key && current(directory.keys.get(key.id))
      if (key && !known) return badKey()
      const teamNow = team && directory.teams.get(team.id)
      const now = team ? teamNow?.payer : directory.users.get(user.id)
      if (!now?.enabled) return key ? badKey() : team ? teamNotAllowed() : notSignedIn()
      if (session !== undefined) {
        if (!sessions.isLive(session)) return notSignedIn()
        if (team && !maySpend(member && directory.members.get(member.id))) return teamNotAllowed()
      }
      // A request begun under a plan continues when the plan ends, but stops when the plan is taken away.
      const holder = now.plan && user.plan ? { ...now, groups: [...now.groups, now.plan.group ?? now.group] } : now
      if (usableGroup(directory, holder, group.name) === undefined || (known?.key.group ?? group.name) !== group.name)
        return groupNotAllowed()
      const isWithdrawn = model !== undefined && (known?.models?.has(model) === false || teamNow?.models?.has(model) === false)
      return isWithdrawn ? withdrawnModel() : undefined
    },
    admitSession(token, group, named) {
      const user = sessions.userOfSession(token)
      if (user === undefined || token === undefined) throw notSignedIn()
      return { ...callerWithoutKey(user, group, named), session: sessions.nameOf(token) }
    },
    callerOf(user, named, group, team) {
      if (named === undefined) return callerWithoutKey(user, group, team)
      const keys = [...directory.keys.all()]
      const caller = callerFor(keys.find(({ key }) => key.id === named) ?? onlyOne(keys, named), group)
      if (!caller)
        throw new GatewayError('not_found', 'No key has this id or name, or several have this name: then give the id.', { param: 'key' })
      return caller
    },
    groupsOf: (user) => usableGroups(directory, user.plan ? withPlan(user, clock.now()) : user),
    payerFor(user, named) {
      const team = named === undefined ? undefined : teamOf(named)
      if (named !== undefined && (team === undefined || roleIn(directory, user, team.team.id) === undefined)) throw teamNotAllowed()
      const payer = team?.payer ?? user
      return { user: payer.plan ? withPlan(payer, clock.now()) : payer, models: team?.models ?? null }
    },
  }
}

/** The user or team with its plan applied at `now`: in the plan's group while it is in force; without it before and after. */
export function withPlan<Payer extends User>(payer: Payer, now: number): Payer {
  const { plan } = payer
  if (!plan || !inForce(plan, now)) return { ...payer, plan: null }
  if (plan.group === null) return payer
  const groups = payer.groups.includes(plan.group) ? payer.groups : [...payer.groups, plan.group]
  return { ...payer, group: plan.group, groups }
}

function onlyOne(keys: readonly KnownKey[], name: string): KnownKey | undefined {
  const found = keys.filter(({ key }) => key.name === name)
  return found.length === 1 ? found[0] : undefined
}
