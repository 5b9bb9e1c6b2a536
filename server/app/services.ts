/** The services whose rows the console and parley.yaml write, opened on the database or on a draft of it. */
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
import { assertProxy, assertTls } from '#upstream/route'
import type { Together } from './declaration.ts'

/** Accounts, channels, prices and settings on one store. */
export type Rooms = Awaited<ReturnType<typeof openRooms>>

/** Opens accounts, channels, prices and settings on a store. */
export async function openRooms(parts: Omit<ChannelParts, 'rules'>) {
  const { store, clock, random, log } = parts
  const settings = await createSettings(store, { moderationModel: defaultModerationModel })
  const { quotas } = settings
  const accounts = await createAccounts({ store, clock, random, quotas })
  const rules: ChannelParts['rules'] = {
    assertAddress: assertChannelAddress,
    assertProxy,
    assertTls,
    assertPrice: (fields) => void resolveRates(fields),
    groupExists: (name) => accounts.groups.get(name) !== undefined,
  }
  const channels = await createChannels({ ...parts, rules })
  const prices = await createPrices({ store, log, demo: channels.demo })
  return { accounts, channels, prices, settings }
}

/** Applies parley.yaml with separate services in one transaction; the running ones are notified after it commits. */
export function together(store: Store, clock: Clock, open: (draft: Store) => Promise<Rooms>): Together {
  return (work) =>
    inDraft(store, clock, async (draft) => {
      const { settings, ...rooms } = await open(draft)
      return work({ ...rooms, keepFallbacks: settings.declareFallbacks })
    })
}
