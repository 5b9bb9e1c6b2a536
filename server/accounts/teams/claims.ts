/** Team membership by the identity provider's group claim, applied at each sign-in. */
import type { Member, Team, User } from '#accounts/caller'
import type { Directory } from '#accounts/directory'
import type { Clock } from '#runtime/clock'
import type { Actor } from '#shared/console/audit'
import { memberIdOf } from '#shared/ids'
import { deleteTeamMember, insertTeamMembers, loadPlacesOf } from '#store/accounts/teams'
import type { Store } from '#store/engine/store'
import { writeMembers } from './team-writes.ts'

/** Syncs memberships with the provider's claim. */
export interface TeamClaims {
  /**
   * Adds the user, as a member without a cap, to the teams whose claim is among `groups`, and removes memberships of earlier claims.
   * Memberships given manually or by parley.yaml stay. Has no effect where no claim is configured (undefined).
   */
  joinByClaim(user: Pick<User, 'id'>, groups: readonly string[] | undefined, requestId?: string): Promise<void>
}

/** Claims over the store and the directory. */
export function createTeamClaims({ store, directory, clock }: { store: Store; directory: Directory; clock: Clock }): TeamClaims {
  return {
    async joinByClaim({ id: userId }, groups, requestId) {
      if (groups === undefined) return
      const named = new Set(groups)
      const isNamed = ({ claim }: Team) => claim !== null && named.has(claim)
      const places = await loadPlacesOf(store, userId)
      const has = new Set(places.map(({ teamId }) => teamId))
      const open = [...directory.teams.all()].map(({ team }) => team).filter(({ managed, enabled }) => managed === 'console' && enabled)
      const createdAt = new Date(clock.now())
      const place = ({ id }: Team): Member => ({
        ...{ id: memberIdOf(id, userId), teamId: id, userId, role: 'member', budget: null, byClaim: true, createdAt },
      })
      const fresh = open.filter((team) => isNamed(team) && !has.has(team.id)).map(place)
      const left = places.filter(({ byClaim, teamId }) => {
        const team = directory.teams.get(teamId)?.team
        return byClaim && team !== undefined && !isNamed(team)
      })
      const deeds = [
        ...fresh.map(({ id }) => ({ action: 'member.create', target: id })),
        ...left.map(({ id }) => ({ action: 'member.remove', target: id })),
      ]
      if (deeds.length === 0) return
      const by: Actor = { id: 'provider', name: null, ...(requestId !== undefined && { requestId }) }
      await writeMembers(store, by, deeds, async (store) => {
        await insertTeamMembers(store, fresh)
        for (const { id } of left) await deleteTeamMember(store, id)
      })
    },
  }
}
