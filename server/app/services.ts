/** The rooms whose rows the console and parley.yaml write, opened on a store: on the database, or on a draft of it. */
import { createAccounts } from '#accounts/accounts'
import { createSettings } from '#accounts/settings'
import { createPrices } from '#billing/pricing/prices'
import { resolveRates } from '#billing/pricing/rates'
import { defaultModerationModel } from '#protocols/operations'
import { type ChannelParts, createChannels } from '#routing/channels'
import type { Clock } from '#runtime/clock'
import { inDraft } from '#store/engine/draft'
import type { Store } from '#store/engine/store'
import { assertChannelAddress } from '#upstream/addresses'
import type { Together } from './declaration.ts'

export type Rooms = Awaited<ReturnType<typeof openRooms>>

export async function openRooms(parts: Omit<ChannelParts, 'rules'>) {
  const { store, clock, random, log } = parts
  const accounts = await createAccounts({ store, clock, random })
  const rules: ChannelParts['rules'] = {
    assertAddress: assertChannelAddress,
    assertPrice: (fields) => void resolveRates(fields),
    groupExists: (name) => accounts.groups.get(name) !== undefined,
  }
  const channels = await createChannels({ ...parts, rules })
  const prices = await createPrices({ store, log, demo: channels.demo })
  const settings = await createSettings(store, { moderationModel: defaultModerationModel })
  return { accounts, channels, prices, settings }
}

/** What the file declares is written by rooms of its own, in one transaction; the others hear of it when all of it is there. */
export function together(store: Store, clock: Clock, open: (draft: Store) => Promise<Rooms>): Together {
  return (work) =>
    inDraft(store, clock, async (draft) => {
      const { settings, ...rooms } = await open(draft)
      return work({ ...rooms, keepFallbacks: settings.declareFallbacks })
    })
}
