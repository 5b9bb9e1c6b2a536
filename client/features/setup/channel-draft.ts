/** The channel of the second step: what is typed, and what was saved of it. Kept for as long as setup is open. */
import { createMemo, createSignal } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import type { VendorCard } from '#client/console/vendors.ts'
import { createWrite } from '#client/console/write.ts'
import type { ChannelRow } from '#shared/console/channel'
import type { ProbeAnswer, UpstreamModels } from '#shared/console/inspection/probe'

/** Up to so many models are all selected; from a longer list the user has to choose. */
export const offeredWhole = 30
/** Concurrent price writes. */
const atOnce = 4

/** The draft of the first channel. */
export type ChannelDraft = ReturnType<typeof createChannelDraft>

/** An empty draft. */
export function createChannelDraft() {
  const [card, setCard] = createSignal<VendorCard>()
  const [key, setKey] = createSignal('')
  const [address, setAddress] = createSignal('')
  const [found, setFound] = createSignal<string[]>()
  const [chosen, setChosen] = createSignal<string[]>([])
  const [typed, setTyped] = createSignal('')
  const [prices, setPrices] = createSignal({ input: '0', output: '0' })
  const [stored, setStored] = createSignal<{ id: string; account: ReturnType<typeof account> }>()
  const [tested, setTested] = createSignal<ProbeAnswer>()
  const fetching = createWrite()
  const saving = createWrite()

  const takesAddress = (vendor = card()) => vendor !== undefined && (vendor.needsAddress || vendor.keyless)
  const account = () => ({
    vendor: card()?.id,
    ...(takesAddress() && address().trim() !== '' && { baseUrl: address().trim() }),
    ...(key().trim() !== '' && { keys: [key().trim()] }),
  })
  const models = createMemo(() => [
    ...new Set([
      ...chosen(),
      ...typed()
        .split(/[\s,]+/)
        .filter(Boolean),
    ]),
  ])
  // Input for one vendor must not go to another, least of all its key.
  const choose = (next: VendorCard) => {
    if (next.id === card()?.id) return
    setCard(next)
    setAddress('')
    setKey('')
    setTyped('')
    setFound(undefined)
    setChosen([])
    setTested(undefined)
    fetching.clear()
    saving.clear()
  }
  const fetchModels = () =>
    fetching.run(async () => {
      const { data } = await callApi<UpstreamModels>('POST', '/api/channels/models', account())
      const ids = data.map(({ id }) => id)
      setFound(ids)
      setChosen(ids.length <= offeredWhole ? ids : [])
    })
  /** Saves the channel and its prices, and tests one model: `tested` has the outcome. */
  const save = () =>
    saving.run(async () => {
      setTested(undefined)
      const given = account()
      const { vendor: _, ...changes } = given
      const known = await kept(given)
      const saved = known
        ? await callApi<ChannelRow>('PATCH', `/api/channels/${encodeURIComponent(known.id)}`, { ...changes, models: models() })
        : await callApi<ChannelRow>('POST', '/api/channels', { ...given, models: models(), name: card()?.id })
      setStored({ id: saved.id, account: given })
      await setAllPrices(models())
      const [model = ''] = models()
      const answer = await callApi<ProbeAnswer>('POST', `/api/channels/${encodeURIComponent(saved.id)}/test`, { model })
      setTested(answer)
    })
  /** The channel of an earlier attempt. A patch can neither change the vendor nor remove an address or key: then it is deleted. */
  const kept = async (given: ReturnType<typeof account>) => {
    const known = stored()
    if (known === undefined) return undefined
    if (known.account.vendor === given.vendor && Object.keys(known.account).every((name) => name in given)) return known
    await callApi('DELETE', `/api/channels/${encodeURIComponent(known.id)}`)
    setStored(undefined)
    return undefined
  }
  const setAllPrices = async (names: readonly string[]) => {
    const queue = [...names]
    const one = async () => {
      for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
        await callApi('PUT', `/api/prices/${encodeURIComponent(name)}`, prices())
      }
    }
    await Promise.all(Array.from({ length: atOnce }, one))
  }
  const failed = () => fetching.error() ?? saving.error()
  return {
    ...{ card, choose, takesAddress, address, setAddress, key, setKey },
    ...{ found, setFound, chosen, setChosen, typed, setTyped, models, prices, setPrices },
    ...{ fetching, fetchModels, saving, save, tested, failed },
  }
}
