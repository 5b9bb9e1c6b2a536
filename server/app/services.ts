/** The services whose rows the console and parley.yaml write, opened on the database or on a draft of it. */
import { createAccounts } from '#accounts/accounts'
import { createFactors } from '#accounts/factors/factors'
import { createInvitations } from '#accounts/invitations/invitations'
import { createCodes } from '#accounts/selling/codes'
import { createCredits } from '#accounts/selling/credits'
import { createDeclaredPlans } from '#accounts/selling/declared-plans'
import { createPlans } from '#accounts/selling/plans'
import { createSettings } from '#accounts/settings'
import { createTeamClaims } from '#accounts/teams/claims'
import { createDeclaredTeams } from '#accounts/teams/declared-teams'
import { createMembers } from '#accounts/teams/members'
import { createTeams } from '#accounts/teams/teams'
import { createPrices } from '#billing/pricing/prices'
import { resolveRates } from '#billing/pricing/rates'
import { defaultModerationModel } from '#protocols/operations'
import { type ChannelParts, createChannels } from '#routing/channels'
import type { Clock } from '#runtime/clock'
import { inDraft } from '#store/engine/draft'
import type { Store } from '#store/engine/store'
import { assertChannelAddress } from '#upstream/addresses'
import { assertProxy, assertTls } from '#upstream/route'
import type { Together } from './declaration.ts'

/** Accounts, teams, channels, prices and settings on one store. */
export type Rooms = Awaited<ReturnType<typeof openRooms>>

/** Opens accounts, channels, prices and settings on a store. */
export async function openRooms(parts: Omit<ChannelParts, 'rules'> & { publicUrl: URL }) {
  const { store, clock, random, log, sealer, publicUrl } = parts
  const settings = await createSettings(store, { moderationModel: defaultModerationModel })
  const { quotas, secondFactor } = settings
  const factors = await createFactors({ store, sealer, clock, random, publicUrl })
  const accounts = await createAccounts({ store, clock, random, quotas, factors, secondFactor, log })
  const ofTeams = { store, clock, random, directory: accounts.directory }
  const teams = {
    ...createTeams(ofTeams),
    ...createDeclaredTeams(ofTeams),
    ...createTeamClaims(ofTeams),
    members: createMembers(ofTeams),
  }
  const selling = {
    ...createDeclaredPlans(ofTeams),
    plans: createPlans(ofTeams),
    codes: createCodes(ofTeams),
    credits: createCredits(ofTeams),
  }
  const rules: ChannelParts['rules'] = {
    assertAddress: assertChannelAddress,
    assertProxy,
    assertTls,
    assertPrice: (fields) => void resolveRates(fields),
    groupExists: accounts.groups.exists,
  }
  const channels = await createChannels({ ...parts, rules })
  const prices = await createPrices({ store, log, demo: channels.demo })
  const invitations = createInvitations({ ...ofTeams, sessions: accounts, quotas })
  return { accounts, factors, invitations, teams, selling, channels, prices, settings }
}

/** Applies parley.yaml with separate services in one transaction; the running ones are notified after it commits. */
export function together(store: Store, clock: Clock, open: (draft: Store) => Promise<Rooms>): Together {
  return (work) =>
    inDraft(store, clock, async (draft) => {
      const { settings, accounts, teams, selling, ...rooms } = await open(draft)
      const { declarePlans, declareHolders } = selling
      const declaring = { ...accounts, declareTeams: teams.declareTeams, declarePlans, declareHolders }
      return work({ ...rooms, accounts: declaring, keepFallbacks: settings.declareFallbacks, keepRouting: settings.declareRouting })
    })
}
