/**
 * Authentication and permissions: users, sessions, API keys, groups. Reads are synchronous and from memory; writes go to the
 * database and reach all instances. This module knows no routes, cookies or channels, and of money only grants and budgets. Start
 * with `admission.ts` for what happens to a request, and `caller.ts` for the result.
 */
import type { Factors } from '#accounts/factors/factors'
import type { Clock, Random } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { Budget } from '#shared/console/limits'
import { type Quotas, usualQuotas } from '#shared/console/quota'
import type { HeldPlan } from '#shared/console/selling'
import { isTeamId } from '#shared/ids'
import { insertGroup } from '#store/accounts/groups'
import { touchKeys } from '#store/accounts/keys'
import type { Store } from '#store/engine/store'
import { type Admission, createAdmission } from './admission.ts'
import { type AuditTrail, createAuditTrail } from './audit-trail.ts'
import { createDeclared, type Declared } from './declared.ts'
import { type Directory, openDirectory } from './directory.ts'
import { createGroups, defaultGroup, type Groups, newGroup } from './groups.ts'
import { createIdentities, type Identities } from './identities.ts'
import { createKeys, type Keys } from './keys.ts'
import { createLastUsed } from './last-used.ts'
import { createManagementKeys, type ManagementKeys } from './management-keys.ts'
import { createSessions, type SecondFactorPolicy, type Sessions } from './sessions.ts'
import { createSetup, type Setup } from './setup.ts'
import { createSignIn, type SignIn } from './sign-in.ts'
import { createUsageReports, type UsageReports } from './usage.ts'
import { createUsageLog, type UsageLog } from './usage-log.ts'
import { createUsers, type Users } from './users.ts'

/** All operations on users, keys, groups and sessions. */
export interface Accounts extends Admission, Sessions, SignIn, Identities, Setup, Declared {
  readonly users: Users
  readonly keys: Keys
  readonly managementKeys: ManagementKeys
  readonly groups: Groups
  readonly usageLog: UsageLog
  readonly usageReports: UsageReports
  readonly auditTrail: AuditTrail
  /** The rows in memory, for other rooms. */
  readonly directory: Directory
  /**
   * The current budget of a key, member, user or team (`user`) by id, or of a group by name, with its plan; undefined when there is no such
   * row.
   */
  budgetOf(of: 'key' | 'user' | 'group' | 'member', id: string): (Budget & { plan?: HeldPlan }) | null | undefined
  /** Writes when keys and management keys were last used. Runs on a schedule, and once more before the store closes. */
  flushLastUsed(): Promise<void>
}

/** What `createAccounts` needs. */
export interface AccountsParts {
  store: Store
  clock: Clock
  random: Random
  /** Quotas of each user; absent: the defaults. */
  quotas?(): Pick<Quotas, 'keys' | 'modelsPerKey'>
  /** Second factors of users; absent: none. */
  factors?: Factors
  /** Who must use a second factor; absent: nobody. */
  secondFactor?(): SecondFactorPolicy
  /** Logs successful and refused sign-ins, if present. */
  log?: Pick<Log, 'info'>
}

const silent: Pick<Log, 'info'> = { info: () => undefined }
const askNobody = (): SecondFactorPolicy => ({ required: 'off', afterProvider: false })

/** Loads everything into memory and creates the group `default` if it is missing. */
export async function createAccounts({
  store,
  clock,
  random,
  quotas = () => usualQuotas,
  factors,
  secondFactor = askNobody,
  log = silent,
}: AccountsParts): Promise<Accounts> {
  await insertGroup(store, newGroup(defaultGroup, {}, 'console', new Date(clock.now())))
  const directory = await openDirectory(store)
  const parts = { store, directory, clock, random }
  const keyUses = createLastUsed()
  const sessions = createSessions({ ...parts, log, factors, policy: secondFactor })
  const { endSessionsOf } = sessions
  const managementKeys = createManagementKeys(parts)

  return {
    ...createAdmission({ directory, clock, keyUses, sessions }),
    ...sessions,
    ...createSignIn({ ...parts, log, sessions, factors }),
    ...createIdentities({ ...parts, sessions }),
    ...createSetup(parts),
    ...createDeclared({ ...parts, endSessionsOf }),
    users: createUsers({ ...parts, keyUses, endSessionsOf, hasFactor: (id) => factors?.has(id) ?? false }),
    managementKeys,
    keys: createKeys({ ...parts, keyUses, quotas }),
    groups: createGroups(parts),
    usageReports: createUsageReports(store, directory),
    usageLog: createUsageLog(store, directory),
    auditTrail: createAuditTrail(store),
    directory,
    budgetOf(of, id) {
      if (of === 'key') return directory.keys.get(id)?.key.budget
      if (of === 'member') return directory.members.get(id)?.budget
      if (of === 'group') return directory.groups.get(id)?.budget
      const payer = isTeamId(id) ? directory.teams.get(id)?.team : directory.users.get(id)
      return payer?.plan ? { ...payer.budget, plan: payer.plan } : payer?.budget
    },
    async flushLastUsed() {
      await keyUses.flush((seen) =>
        touchKeys(
          store,
          seen.map(([id, at]) => [id, at, keyUses.lastFrom(id) ?? null]),
        ),
      )
      keyUses.keep((id) => directory.keys.get(id) !== undefined)
      await managementKeys.flush()
    },
  }
}
