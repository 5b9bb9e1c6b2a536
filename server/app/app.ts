/** Wires the program: store, services, relay, HTTP. Nothing listens yet; `start.ts` opens the port. */

import { createUserConversations } from '#accounts/kept/conversations'
import { createUsageUpkeep } from '#accounts/usage/upkeep'
import { checkBooks } from '#billing/ledger/books-check'
import { createBudgetsLeft } from '#billing/ledger/budgets-left'
import { openLeasedBooks } from '#billing/ledger/leased-books'
import { remoteBooks } from '#billing/ledger/remote-books'
import { loadEncoding } from '#billing/tokens/tokenizer'
import { openBodies } from '#bodies/bodies'
import { createApp, shuttingDown } from '#http/app'
import type { ConsoleServices } from '#http/console/route/services'
import { metricsRoute } from '#http/metrics'
import { trustedProxies } from '#http/request/target'
import { serveClient } from '#http/static'
import { createLiveChanges } from '#live/live-changes'
import { createMetrics, observed } from '#metrics/metrics'
import { createReasoningState } from '#reasoning-state/reasoning-state'
import { createCounter } from '#relay/admin/count'
import { createExplain } from '#relay/admin/explain'
import { createProbe } from '#relay/admin/probe'
import { storingRelay } from '#relay/conversation/stored-responses'
import { createAudioLengths } from '#relay/large/audio-lengths'
import { createLargeBodies } from '#relay/large/large-bodies'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { createLagMeter } from '#runtime/event-loop-lag'
import { installationId } from '#runtime/installation-id'
import { packagePath } from '#runtime/package-file'
import { placeOf } from '#runtime/place'
import { openFolder } from '#runtime/read-only-folder'
import { openSpool } from '#runtime/spool'
import { openStore, type StoreOptions } from '#store/engine/open'
import type { Store } from '#store/engine/store'
import { openConfigFile } from './declaration.ts'
import { environmentRows } from './environment-rows.ts'
import { identityProviderOf } from './identity-provider.ts'
import { startJobs } from './jobs.ts'
import { openSealer } from './master-key.ts'
import { openBreakers } from './open-breakers.ts'
import { openRelaying } from './relaying.ts'
import { routesOf } from './routes.ts'
import { openRooms, together } from './services.ts'
import type { Standing, Surroundings } from './standing.ts'
import { planTelemetry } from './telemetry.ts'
import { version } from './version.ts'
import { watchedBooks } from './watched-books.ts'

/** Where `tasks/build.mjs` puts the built client. */
const clientFolder = packagePath('dist/client')
/** Where `tasks/losses.mjs` writes losses.md. */
const docsFolder = packagePath('docs')

/** Milliseconds. */
const heartbeatMs = 15_000
const aliveWithinMs = 2_000

export async function build({ config, env, log: ownLog, publicUrl, readiness, work, say, mediaPolicy }: Surroundings): Promise<Standing> {
  const tracing = planTelemetry(env, ownLog)
  const { log } = tracing
  const file = await openConfigFile({ file: config.configFile, env, clock, log })
  const options: StoreOptions = { dataFolder: config.dataFolder, clock, random, log: say }
  if (config.databaseUrl !== undefined) options.databaseUrl = config.databaseUrl
  const store = await openStore(options)
  try {
    loadEncoding()
    const sealer = await openSealer(store, random, config.dataFolder, config.masterKey)
    const rooms = (on: Store) => openRooms({ store: on, demo: config.demo, proxy: config.proxy, clock, random, log, sealer })
    const { accounts, channels, prices, settings } = await rooms(store)
    const instance = await installationId(config.dataFolder, random)
    await file.apply(together(store, clock, rooms))

    const live = createLiveChanges({ store, clock })
    const leasedBooks = await openLeasedBooks({
      store,
      ...(store.worker && { database: remoteBooks(store.worker) }),
      clock,
      random,
      log,
      folder: `${config.dataFolder}/journal`,
      installation: instance,
      place: await placeOf(config.dataFolder),
      fsync: config.journalFsync,
      maxBytes: config.journalMaxBytes,
      coverMs: config.leaseCoverMs,
      writeOffMs: config.leaseWriteOffMs,
      settleWaits: false,
      budgetOf: accounts.budgetOf,
    })
    const spool = await openSpool(`${config.dataFolder}/spool`, random)
    const reasoningState = createReasoningState({ store, sealer, clock, log, quotas: settings.quotas })
    const conversations = createUserConversations({
      ...{ store, sealer, clock, random },
      sharing: () => settings.row().shareLinks,
      quotas: settings.quotas,
      alsoStored: reasoningState.stored,
      isEnabled: (id) => accounts.users.get(id)?.enabled ?? false,
    })
    const open = { count: 0 }
    const lagMeter = createLagMeter(clock, config.maxLagMs)
    const bodies = openBodies({
      ...{ store, sealer, clock, random, log, instance },
      settings: settings.bodies,
      folder: config.bodiesFolder ?? `${config.dataFolder}/bodies`,
    })
    const openRequests = () => open.count
    const metrics =
      config.metrics &&
      createMetrics({
        ...{ version, openRequests, eventLoopDelay: lagMeter.takeWorst, bodies: bodies.state },
        booksServe: leasedBooks.serving,
        openBreakers: () => openBreakers(health, channels),
      })
    const telemetry = await tracing.start({ version, instance, clock, random, channels, openRequests })
    const counted = metrics ? observed(leasedBooks, metrics) : leasedBooks
    const books = watchedBooks(telemetry ? observed(counted, telemetry) : counted, live)
    const large = createLargeBodies(clock)
    const { parts, relay, realtime, health, limiter, upstream } = openRelaying({
      ...{ store, channels, prices, reasoningState, books, open, log, heartbeatMs, mediaPolicy, large },
      fallbacks: settings.fallback,
      beginTrace: telemetry?.begin,
    })
    const budgetsLeft = createBudgetsLeft({ store, clock })
    const consoleServices: ConsoleServices = {
      ...{ accounts, bodies, budgetsLeft, publicUrl, version, clock, identityProvider: identityProviderOf(config, publicUrl) },
      answered: books.written,
      demo: channels.demo,
      config: file.state,
    }
    const audioLengths = createAudioLengths(clock)
    const relayServices = {
      large,
      audioLengths,
      accounts,
      relay,
      realtime,
      keeping: storingRelay(relay, reasoningState, large),
      count: createCounter(parts),
      reasoningState,
      captures: bodies,
      house: settings.house,
      publicUrl,
      clock,
      heartbeatMs,
      idleMs: config.maxIdleMs,
      spool,
      moderationModel: settings.moderationModel,
    }
    const ready = async () => {
      if (readiness() !== 'ready' || (await store.alive(aliveWithinMs))) return readiness()
      return books.serving() ? 'degraded' : 'unavailable'
    }
    const upkeep = createUsageUpkeep({ store, clock, keepMonths: () => settings.row().keepLogsMonths })
    // Rows of a month without its partition go to the default partition until the next run.
    await upkeep
      .turnMonths()
      .catch((thrown: unknown) => log.warn({ err: thrown }, 'could not create the monthly partitions of the usage rows'))
    const jobs = startJobs({ clock, log, accounts, conversations, reasoningState, books, limiter, upkeep, file, relay })

    const losses = await (await openFolder(docsFolder)).read('losses.md')
    const client = await serveClient(await openFolder(clientFolder))
    const app = createApp({
      routes: routesOf({
        accounts,
        channels,
        health,
        explain: createExplain(parts),
        checkBooks: (signal) => checkBooks({ store, signal, journals: [`${config.dataFolder}/journal`], now: clock.now() }),
        probe: createProbe(parts),
        settings,
        conversations,
        environment: environmentRows(env),
        kept: { keysOf: accounts.keys.countOf, storedBy: ({ id }) => conversations.stored(id) },
        prices,
        relay,
        live,
        consoleServices,
        relayServices,
        readiness: ready,
        startedAt: Math.floor(clock.now() / 1000),
        losses: losses && new TextDecoder().decode(losses),
        client,
      }).concat(metrics && config.metrics && 'token' in config.metrics ? metricsRoute(metrics, config.metrics.token) : []),
      hosts: { publicUrl, allowedHosts: new Set(config.allowedHosts) },
      isTrustedProxy: trustedProxies(config.trustedProxies),
      clock,
      random,
      log,
      fallback: client,
      load: { work, open, lagMeter, maxOpen: config.maxOpen },
    })
    return {
      app,
      accounts,
      metrics,
      open: openRequests,
      drain() {
        realtime.drain()
        live.close()
      },
      async cut() {
        relay.end(shuttingDown)
        await realtime.cut()
        while (open.count > 0) await clock.sleep(20)
      },
      reload: file.reload,
      async close() {
        lagMeter.stop()
        live.close()
        upstream.close()
        jobs.cancel()
        await Promise.allSettled([
          accounts.flushLastUsed(),
          reasoningState.flush(),
          books.close(),
          limiter.close(),
          large.close(),
          audioLengths.close(),
          bodies.close(),
        ])
        await telemetry?.close()
        await store.close()
      },
    }
  } catch (thrown) {
    await store.close()
    throw thrown
  }
}
