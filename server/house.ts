/** Builds the house from the ground up: store, services, relay, edge. Nothing listens yet; `start.ts` turns the key. */
import { BlockList, isIPv6 } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createAccounts } from '#accounts/accounts'
import { createDemoUpstream } from '#demo/demo'
import { createDemoSockets } from '#demo/realtime'
import { type App, createApp } from '#edge/app'
import type { Readiness } from '#edge/health'
import type { House } from '#edge/house'
import { serveClient } from '#edge/static'
import { createBooks } from '#metering/books'
import { createLimiter } from '#metering/limits'
import { createPrices } from '#metering/prices'
import { resolveRates } from '#metering/rates'
import type { RelayParts } from '#relay/ask'
import { createCounter } from '#relay/count'
import { createExplain } from '#relay/explain'
import { keepingRelay } from '#relay/kept'
import { createRealtime } from '#relay/realtime'
import { createRelay } from '#relay/relay'
import { createAffinity } from '#routing/affinity'
import { createChannels } from '#routing/channels'
import { createHealth } from '#routing/health'
import { defaultRetry } from '#routing/retry'
import { systemClock as clock, systemDice as dice } from '#runtime/clock'
import { openFolder } from '#runtime/files'
import { instanceId } from '#runtime/instance'
import type { Log } from '#runtime/log'
import { every } from '#runtime/schedule'
import { openSpool } from '#runtime/spool'
import { GatewayError } from '#shared/errors'
import { releaseLeftovers } from '#store/ledger'
import { openStore, type StoreOptions } from '#store/open'
import { sameValue } from '#store/same-value'
import { readSetting, writeSetting } from '#store/settings'
import { assertChannelAddress, createAddressCheck } from '#upstream/addresses'
import { createHttpUpstream } from '#upstream/http'
import { createMediaFetcher } from '#upstream/media'
import type { MediaPolicy } from '#upstream/media-policy'
import { createSigner } from '#upstream/sign'
import { createSocketUpstream } from '#upstream/socket'
import { createVault } from '#vault/vault'
import type { Config } from './config.ts'
import { readConfigFile } from './declared.ts'
import { openSealer } from './master-key.ts'
import { routesOf } from './routes.ts'
import { version } from './version.ts'

export interface Standing {
  app: App
  accounts: House['accounts']
  /** Requests that are not settled yet. */
  open(): number
  /** Asks what would stay open by itself to come to an end. */
  drain(): void
  /** Ends that now; resolves when it is settled. */
  cut(): Promise<void>
  close(): Promise<void>
}

export interface Surroundings {
  config: Config
  env: Record<string, string | undefined>
  log: Log
  publicUrl: URL
  readiness(): Readiness
  say(line: string): void
  /** Which addresses of callers are visited. */
  mediaPolicy: MediaPolicy
}

/** Where `tasks/build.mjs` puts the built client. */
const clientFolder = fileURLToPath(new URL('../dist/client', import.meta.url))

/** Milliseconds. */
const heartbeatMs = 15_000
const aliveWithinMs = 2_000

function trustedProxies(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return (address) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

export async function build({ config, env, log, publicUrl, readiness, say, mediaPolicy }: Surroundings): Promise<Standing> {
  const applyFile = await readConfigFile(config.configFile, env)
  const options: StoreOptions = { dataFolder: config.dataFolder, clock, dice, log: say }
  if (config.databaseUrl !== undefined) options.databaseUrl = config.databaseUrl
  const store = await openStore(options)
  try {
    const sealer = await openSealer(store, dice, config.dataFolder, config.masterKey)
    const accounts = await createAccounts({ store, clock, dice })
    const rules = {
      assertAddress: assertChannelAddress,
      assertPrice: (fields: Parameters<typeof resolveRates>[0]) => void resolveRates(fields),
      groupExists: (name: string) => accounts.groups.get(name) !== undefined,
    }
    const channels = await createChannels({ store, clock, dice, log, sealer, demo: config.demo, rules })
    const prices = await createPrices({ store, log, demo: channels.demo })
    const instance = await instanceId(config.dataFolder, dice)
    const released = await releaseLeftovers(store, instance)
    if (released > 0) log.warn({ released }, 'released holds that an earlier run left open')
    const warnings = await applyFile({
      accounts,
      channels,
      prices,
      async keepFallbacks(fallbacks) {
        if (!sameValue(await readSetting(store, 'fallbacks'), fallbacks)) await writeSetting(store, 'fallbacks', fallbacks)
      },
    })
    for (const warning of warnings) log.warn({}, warning)

    const books = createBooks({ store, clock, log, instance })
    const spool = await openSpool(`${config.dataFolder}/spool`, dice)
    const vault = createVault({ store, sealer, clock, log })
    const check = createAddressCheck({ clock })
    const upstream = createHttpUpstream(check)
    const health = createHealth(clock)
    const relayParts: RelayParts = {
      vault,
      channels,
      prices,
      books,
      clock,
      dice,
      log,
      version,
      heartbeatMs,
      retry: defaultRetry,
      affinity: createAffinity(clock),
      limiter: createLimiter(clock),
      health,
      upstream,
      fetchMedia: createMediaFetcher({ clock, policy: mediaPolicy }),
      signer: createSigner({ upstream, clock }),
      demo: createDemoUpstream({ clock, dice }),
    }
    const relay = createRelay(relayParts)
    const realtime = createRealtime({
      ...relayParts,
      sockets: createSocketUpstream({ check, clock }),
      demoSockets: createDemoSockets({ clock, dice }),
    })
    const house: House = { accounts, publicUrl, version, clock, demo: channels.demo }
    const doors = {
      accounts,
      relay,
      realtime,
      keeping: keepingRelay(relay, vault),
      count: createCounter(relayParts),
      vault,
      publicUrl,
      clock,
      heartbeatMs,
      spool,
    }
    const ready = async () => (readiness() === 'ready' && !(await store.alive(aliveWithinMs)) ? 'degraded' : readiness())
    const jobs: [what: string, everyMs: number, run: () => Promise<unknown>][] = [
      ['note when keys were last used', 10_000, accounts.flushLastUsed],
      ['remove old sessions', 600_000, accounts.sweepSessions],
      ['write what the vault remembers', 1_000, vault.flush],
      ['remove what the vault may forget', 600_000, vault.sweep],
    ]
    const scheduled = jobs.map(([what, ms, run]) => every(clock, ms, run, (thrown) => log.warn({ err: thrown }, `could not ${what}`)))

    const app = createApp({
      routes: routesOf({
        accounts,
        channels,
        health,
        explain: createExplain(relayParts),
        prices,
        relay,
        house,
        doors,
        readiness: ready,
        startedAt: Math.floor(clock.now() / 1000),
      }),
      hosts: { publicUrl, allowedHosts: new Set(config.allowedHosts) },
      isTrustedProxy: trustedProxies(config.trustedProxies),
      clock,
      dice,
      log,
      fallback: await serveClient(await openFolder(clientFolder)),
      closed: () =>
        readiness() === 'draining' ? new GatewayError('overloaded', 'Parley is shutting down.', { retryAfter: 5 }) : undefined,
    })
    return {
      app,
      accounts,
      open: () => relay.open() + realtime.open(),
      drain: realtime.drain,
      cut: realtime.cut,
      async close() {
        for (const job of scheduled) job.cancel()
        await Promise.allSettled([accounts.flushLastUsed(), vault.flush()])
        await store.close()
      },
    }
  } catch (thrown) {
    await store.close()
    throw thrown
  }
}
