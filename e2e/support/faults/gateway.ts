/**
 * A gateway for fault tests: every trial has its own model, a channel that fails as scripted and, if another channel is left, one
 * that works. So trials can run concurrently without affecting each other's health.
 */
import { wait } from '#testing/upstream/scripted-answers'
import { type Script, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway } from '../gateway.ts'
import { brokenPlaces, type Place } from './places.ts'
import type { Told } from './routes.ts'
import { prices } from './wires.ts'

/** One cell to try. */
export interface Trial {
  /** Names the cell in failure messages. */
  name: string
  /** The user who pays; trials that share one are charged together. */
  payer: string
  /** Whether it has the failing channel to itself. */
  alone?: boolean
  /** Sends the client's request, and resolves to what the client received. */
  ask(url: string, key: string, model: string): Promise<Told>
  /** Fields of the channels: the vendor and its dialects. */
  channel: object
  /** Whether there is another channel. */
  left: boolean
  /** What the failing channel does, request by request (the last one repeats), or an address that never answers. */
  scripts: readonly Script[] | Place
  /** What the other channel does. */
  good: Script
  /** In seconds. Only set for channels that hang; the gateway must give up on them by then. */
  timeouts?: object
}

/** The usage row of a trial. */
export interface Row {
  status: number
  end: string
  cost: string
  provenance: string | null
  channel: string | null
  error: { code: string } | null
  attempts: { channel: string; phase: string; status: number | null; cause: string | null }[]
}

/** What came of a trial. */
export interface Result {
  told: Told
  row: Row
  /** Number of requests that reached the failing channel and the other one. */
  asked: [failing: number, other: number]
  /** The failures recorded against the failing channel. */
  ailments: string[]
}

/** A gateway with the channels of all trials. */
export interface FaultGateway {
  gateway: Gateway
  run(trial: Trial): Promise<Result>
  /** Balance and holds in USD of every user who paid. */
  money(): Promise<{ name: string; balance: string; held: string }[]>
  /** Number of connections to addresses that never answer. */
  waiting(): number
  /** Closes every upstream and its connections. Safe to call twice. */
  closeUpstreams(): Promise<void>
  close(): Promise<void>
}

/** In USD. */
export const balance = '1000'

const patient = { firstEvent: 20, betweenEvents: 20 }
const keyOf = (payer: string) => `sk-of-${payer}-0000`
const modelOf = (number: number) => `trial-${number}-model`

/** Trials with equal channels share one: failures are recorded per model. Failures of keys affect the whole channel. */
const channelOf = ({ channel, timeouts, scripts, alone }: Trial, number: number) =>
  JSON.stringify([channel, timeouts ?? null, typeof scripts === 'string' ? scripts : null, alone ? number : null])

function configOf(trials: readonly Trial[], addresses: { failing: string; good: string; places: Record<Place, string> }): string {
  const numbered = trials.map((trial, number) => ({ trial, number }))
  const fields = (members: typeof numbered, name: string) => ({
    ...members[0]?.trial.channel,
    name,
    keys: ['sk-vendor'],
    models: members.map(({ number }) => ({ name: modelOf(number), upstream: `trial-${number}-up` })),
  })
  const addressOf = ({ scripts }: Trial) => (typeof scripts === 'string' ? addresses.places[scripts] : addresses.failing)
  const failing = [...Map.groupBy(numbered, ({ trial, number }) => channelOf(trial, number))].map(([name, members]) => ({
    ...fields(members, nameOf('failing', name)),
    baseUrl: members[0] && addressOf(members[0].trial),
    priority: 1,
    timeouts: { ...patient, ...members[0]?.trial.timeouts },
  }))
  const left = numbered.filter(({ trial }) => trial.left)
  const others = [...Map.groupBy(left, ({ trial }) => JSON.stringify(trial.channel))].map(([name, members]) => ({
    ...fields(members, nameOf('other', name)),
    baseUrl: addresses.good,
    timeouts: patient,
  }))
  const payers = [...new Set(trials.map(({ payer }) => payer))]
  return JSON.stringify({
    channels: [...failing, ...others],
    prices: Object.fromEntries(trials.map((_, number) => [modelOf(number), prices])),
    users: payers.map((name) => ({ name, balance })),
    keys: payers.map((payer) => ({ name: `key of ${payer}`, user: payer, key: keyOf(payer) })),
  })
}

const nameOf = (side: 'failing' | 'other', text: string) => `${side}-${Bun.hash(text).toString(36)}`

/** The trial that a request belongs to. */
const numberIn = (request: { target: string; text(): string }) => Number(/trial-(\d+)-up/.exec(request.target + request.text())?.[1])

/** Starts the gateway with these trials. */
export async function startFaultGateway(trials: readonly Trial[]): Promise<FaultGateway> {
  const asked: [number, number][] = trials.map(() => [0, 0])
  const hanging: Promise<void>[][] = trials.map(() => [])
  const byTrial = (side: 0 | 1, scriptFor: (trial: Trial, time: number) => Script | undefined) =>
    scriptedUpstream(async (exchange) => {
      const number = numberIn(exchange.request)
      const counts = asked[number]
      const trial = trials[number]
      if (!counts || !trial) throw new Error(`a request without a trial: ${exchange.request.method} ${exchange.request.target}`)
      if (trial.timeouts && side === 0) hanging[number]?.push(exchange.gone)
      await scriptFor(trial, counts[side]++)?.(exchange)
    })
  const failing = await byTrial(0, ({ scripts }, time) =>
    typeof scripts === 'string' ? undefined : scripts[Math.min(time, scripts.length - 1)],
  )
  const good = await byTrial(1, (trial) => trial.good)
  const places = await brokenPlaces()
  const addresses = { failing: failing.url, good: good.url, places: places.addresses }
  // Embedded, so that the program has no sockets of its own but to upstreams.
  const gateway = await startGateway('embedded', { config: configOf(trials, addresses), env: { PARLEY_DEMO: 'off' } })
  const channels = await pages<{ id: string; name: string }>(gateway, '/api/channels')
  const idOf = new Map(channels.map(({ id, name }) => [name, id]))
  let closed: Promise<unknown> | undefined
  const closeUpstreams = async () => {
    places.close()
    closed ??= Promise.all([failing.close(), good.close()])
    await closed
  }

  return {
    gateway,
    async run(trial) {
      const number = trials.indexOf(trial)
      const told = await trial.ask(gateway.url, keyOf(trial.payer), modelOf(number))
      await inTime(Promise.all(hanging[number] ?? []), `${trial.name}: the upstream was not left`)
      const row = await gateway.log<Row>(told.requestId)
      const { data } = await gateway.admin.call<{ data: { state: string; cause: string; model: string | null }[] }>(
        'GET',
        `/api/channels/${idOf.get(nameOf('failing', channelOf(trial, number)))}/health`,
      )
      const held = data.filter(({ model }) => model === null || model === modelOf(number))
      const ailments = held.map(({ state, cause, model }) => `${state} ${cause}${model === null ? ' of the key' : ''}`)
      return { told, row, asked: asked[number] ?? [0, 0], ailments }
    },
    async money() {
      const users = await pages<{ name: string; balance: string; held: string }>(gateway, '/api/users')
      return users.filter(({ name }) => trials.some(({ payer }) => payer === name))
    },
    waiting: places.open,
    closeUpstreams,
    async close() {
      await gateway.close()
      await closeUpstreams()
    },
  }
}

/** Rejects if the work, which should end with the trial, takes too long. */
async function inTime(work: Promise<unknown>, otherwise: string): Promise<void> {
  const late = wait(5_000).then(() => Promise.reject(new Error(otherwise)))
  await Promise.race([work, late])
}

async function pages<Item>(gateway: Gateway, path: string): Promise<Item[]> {
  const items: Item[] = []
  let after = ''
  for (;;) {
    const { data, next } = await gateway.admin.call<{ data: Item[]; next: string | null }>('GET', `${path}?limit=200${after}`)
    items.push(...data)
    if (next === null) return items
    after = `&after=${encodeURIComponent(next)}`
  }
}
