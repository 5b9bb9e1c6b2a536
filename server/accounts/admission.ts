/** From a credential to a Caller, synchronously and from memory. Every reason for rejecting a key gives the same error. */
import type { Clock } from '#runtime/clock'
import { sha256Hex } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'
import type { Caller, Group, User } from './caller.ts'
import { type Directory, type KnownKey, usableGroup, usableGroups } from './directory.ts'
import type { LastUsed } from './last-used.ts'
import { addressNotAllowed, groupNotAllowed } from './refusals.ts'
import type { Sessions } from './sessions.ts'

const badKey = () => new GatewayError('invalid_api_key', 'The API key is missing or not valid.')
const withdrawnModel = () => new GatewayError('model_not_found', 'The key may no longer use the model of this request.', { param: 'model' })
const notSignedIn = () => new GatewayError('not_signed_in', 'Sign in first.')

/** Anything else is rejected before it is hashed. */
const keyForm = /^sk-[\x21-\x7e]{8,200}$/

/** Keys whose digest is kept. */
const mostDigests = 10_000

/** Resolves credentials to callers, from memory. */
export interface Admission {
  /**
   * Throws `invalid_api_key` for a key that is malformed, unknown, disabled, expired or of a disabled user; `group_not_allowed`;
   * `address_not_allowed` where the key is for other addresses than `address`, or that is unknown.
   */
  admitKey(secret: string, address?: string): Caller
  /**
   * Why an admitted request must stop: its key, session, user or group is no longer valid, or its key no longer has this model.
   * Undefined = it may continue. Cheap.
   */
  refusalOf(caller: Caller, model?: string): GatewayError | undefined
  /** For `/pg`: the session's user in the requested group, or else in their default group. Throws `not_signed_in`, `group_not_allowed`. */
  admitSession(token: string | undefined, group?: string): Caller
  /**
   * The caller that a request with this key would have, without recording a use. `key` is an id or a name that is unique among the
   * user's keys; without a key, the user alone. Throws `not_found`, `group_not_allowed`.
   */
  callerOf(user: User, key?: string, group?: string): Caller
  /** The groups the user may use now, by name. */
  groupsOf(user: User): Group[]
}

/** What `createAdmission` needs. */
export interface AdmissionParts {
  directory: Directory
  clock: Clock
  keyUses: LastUsed
  sessions: Pick<Sessions, 'userOfSession' | 'isLive'>
}

/** Admission over the directory; notes each use of a key in `keyUses`. */
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

  /** The current key of this digest; a digest from before the last rotation is good for its overlap. */
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

  return {
    admitKey(secret, address) {
      const known = knownKey(secret)
      const user = known && directory.users.get(known.key.userId)
      if (known === undefined || !user?.enabled) throw badKey()
      const { key, models } = known
      const group = groupFor(user, key.group ?? user.group)
      if (!known.allows(address ?? '')) throw addressNotAllowed()
      keyUses.touch(key.id, clock.now(), address)
      return { user, key, group, models, strict: key.strict }
    },
    refusalOf({ key, user, group, session }, model) {
      const known = key && current(directory.keys.get(key.id))
      if (key && !known) return badKey()
      const now = directory.users.get(user.id)
      if (!now?.enabled) return key ? badKey() : notSignedIn()
      if (session !== undefined && !sessions.isLive(session)) return notSignedIn()
      if (usableGroup(directory, now, group.name) === undefined || (known?.key.group ?? group.name) !== group.name) return groupNotAllowed()
      return model !== undefined && known?.models?.has(model) === false ? withdrawnModel() : undefined
    },
    admitSession(token, group) {
      const user = sessions.userOfSession(token)
      if (user === undefined || token === undefined) throw notSignedIn()
      const session = sha256Hex(token)
      return { user, key: null, group: groupFor(user, group ?? user.group), models: null, strict: false, session }
    },
    callerOf(asker, named, group) {
      const keys = [...directory.keys.all()]
      const known = named === undefined ? undefined : (keys.find(({ key }) => key.id === named) ?? onlyOne(keys, named))
      if (named === undefined) return { user: asker, key: null, group: groupFor(asker, group ?? asker.group), models: null, strict: false }
      const user = known && directory.users.get(known.key.userId)
      if (known === undefined || user === undefined)
        throw new GatewayError('not_found', 'No key, or more than one, has this id or name.', { param: 'key' })
      const { key, models } = known
      return { user, key, group: groupFor(user, group ?? key.group ?? user.group), models, strict: key.strict }
    },
    groupsOf: (user) => usableGroups(directory, user),
  }
}

function onlyOne(keys: readonly KnownKey[], name: string): KnownKey | undefined {
  const found = keys.filter(({ key }) => key.name === name)
  return found.length === 1 ? found[0] : undefined
}
