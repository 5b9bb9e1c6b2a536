/** Wires the program: store, services, relay, HTTP. Nothing listens yet; `start.ts` opens the port. */

import { createUserConversations } from '#accounts/kept/conversations'
import { createUsageUpkeep } from '#accounts/usage/upkeep'
import { checkBooks } from '#billing/ledger/books-check'
import { createBudgetsLeft, createWindowsLeft } from '#billing/ledger/budgets-left'
import { createPriceTrials } from '#billing/pricing/price-trials'
import { loadEncoding } from '#billing/tokens/tokenizer'
import { openBodies } from '#bodies/bodies'
import { createOpenSockets } from '#http/api/open-sockets'
import { createReplayDispatch } from '#http/api/replay-dispatch'
import { createApp, shuttingDown } from '#http/app'
import type { ConsoleServices } from '#http/console/route/services'
import { metricsRoute } from '#http/metrics'
import { trustedProxies } from '#http/request/target'
import { serveClient } from '#http/static'
import { createLiveChanges } from '#live/live-changes'
import { createMetrics, observed } from '#metrics/metrics'
import { createBackgroundAnswers } from '#reasoning-state/background-answers'
import { createReasoningState } from '#reasoning-state/reasoning-state'
import { createStoredFiles } from '#reasoning-state/stored-files'
import { checkRow } from '#relay/admin/check-row'
import { createCounter } from '#relay/admin/count'
import { createEstimate } from '#relay/admin/estimate'
import { createExplain } from '#relay/admin/explain'
import { createProbe } from '#relay/admin/probe'
import { createBackground } from '#relay/conversation/background'
import { createInteractions } from '#relay/conversation/interaction'
import { createPutFilesIn } from '#relay/conversation/kept-files'
import { storingRelay } from '#relay/conversation/stored-responses'
import { createAudioLengths } from '#relay/large/audio-lengths'
import { createLargeBodies } from '#relay/large/large-bodies'
import { createFileCopies } from '#relay/objects/copies'
import { createObjects } from '#relay/objects/objects'
import { createBodyRooms } from '#relay/spend/body-rooms'
import { createIntake } from '#relay/spend/intake'
import { createReplays } from '#replay/replays'
import { createChannelChecks } from '#routing/channel-checks'
import { createFailedTests } from '#routing/failed-tests'
import { systemClock as clock, newRequestId, systemRandom as random } from '#runtime/clock'
import { createLagMeter } from '#runtime/event-loop-lag'
import { installationId } from '#runtime/installation-id'
import { packagePath, readPackageText } from '#runtime/package-file'
import { openFolder } from '#runtime/read-only-folder'
import { openSpool } from '#runtime/spool'
import { memberIdOf } from '#shared/ids'
import { watchCalls } from '#store/engine/guard'
import type { Store } from '#store/engine/store'
import { createTokenUses } from '#store/realtime/live-tokens'
import { createAlerting } from './alerting.ts'
import { backupsOf } from './backups.ts'
import { openBatching } from './batching.ts'
import { bodiesPlaceOf } from './bodies-place.ts'
import { journalFolder, openBooks } from './books.ts'
import { openConfigFile } from './declaration.ts'
import { environmentRows } from './environment.ts'
import { identityProviderOf } from './identity-provider.ts'
import { startJobs } from './jobs.ts'
import { openSealer } from './master-key.ts'
import { openBreakers } from './open-breakers.ts'
import { openRelaying } from './relaying.ts'
import { routesOf } from './routes.ts'
import { openRooms, together } from './services.ts'
import type { Standing, Surroundings } from './standing.ts'
import { planTelemetry } from './telemetry.ts'
import { openUpstreamWork } from './upstream-work.ts'
import { version } from './version.ts'
import { watchedBooks } from './watched-books.ts'

/** Where `tasks/build.mjs` puts the built client. */
const clientFolder = packagePath('dist/client')

/** Milliseconds. */
const heartbeatMs = 15_000
const aliveWithinMs = 2_000
/** Replays wait while more requests than this are open. */
const quiet = 32

export async function build(surroundings: Surroundings): Promise<Standing> {
  const { config, env, log: ownLog, publicUrl, opening, readiness, work, mediaPolicy } = surroundings
  const tracing = planTelemetry(env, ownLog, config.logLevel)
  const { log } = tracing
  const file = await openConfigFile({ file: config.configFile, env, clock, log })
  const store = await opening.finish()
  try {
    const sealer = await openSealer(store, random, config.dataFolder, config.masterKey)
    const rooms = (on: Store) =>
      openRooms({ ...{ store: on, demo: config.demo, proxy: config.proxy }, clock, random, log, sealer, publicUrl })
    const { accounts, factors, invitations, teams, selling, channels, prices, settings } = await rooms(store)
    const instance = await installationId(config.dataFolder, random)
    await file.apply(together(store, clock, rooms))

    const live = createLiveChanges({ store, clock })
    const leasedBooks = await openBooks({ store, config, clock, random, log, instance, budgetOf: accounts.budgetOf })
    const spool = await openSpool(`${config.dataFolder}/spool`, random)
    const reasoningState = createReasoningState({ store, sealer, clock, random, log, quotas: settings.quotas })
    const conversations = createUserConversations({
      ...{ store, sealer, clock, random },
      sharing: () => settings.row().shareLinks,
      quotas: settings.quotas,
      alsoStored: reasoningState.stored,
      isEnabled: (id) => accounts.users.get(id)?.enabled ?? false,
    })
    const open = { count: 0, streams: 0 }
    const lagMeter = createLagMeter(clock, config.maxLagMs)
    const bodies = openBodies({
      ...{ store, sealer, clock, random, log, instance },
      settings: settings.bodies,
      ...bodiesPlaceOf(config),
      isMember: (teamId, userId) => accounts.directory.members.get(memberIdOf(teamId, userId)) !== undefined,
    })
    const backups = backupsOf(config, store, instance, log)
    const openRequests = () => open.count
    const metrics =
      config.metrics &&
      createMetrics({
        ...{ version, openRequests, openStreams: () => open.streams, eventLoopDelay: lagMeter.takeWorst, bodies: bodies.state },
        booksServe: leasedBooks.serving,
        journalShare: leasedBooks.journalShare,
        books: leasedBooks.levels,
        teamName: (id) => accounts.directory.teams.get(id)?.team.name,
        backups: backups?.state,
        openBreakers: () => openBreakers(health, channels),
      })
    if (metrics) watchCalls(store, clock, metrics.databaseCall)
    const telemetry = await tracing.start({ version, instance, clock, random, channels, openRequests })
    const observers = [metrics, telemetry].flatMap((each) => (each ? [each.observe] : []))
    const books = watchedBooks(observed(leasedBooks, observers), live)
    const large = createLargeBodies(clock, random)
    const bodyRooms = createBodyRooms()
    const { parts, relay, realtime, sessions, health, limiter, upstream, closeUpstreams } = openRelaying({
      ...{ store, channels, prices, reasoningState, books, open, log, heartbeatMs, mediaPolicy, large, rooms: bodyRooms },
      fallbacks: settings.fallback,
      balancingMode: settings.balancing,
      beginTrace: telemetry?.begin,
    })
    const budgetsLeft = createBudgetsLeft({ store, clock })
    const consoleServices: ConsoleServices = {
      ...{ accounts, bodies, budgetsLeft, publicUrl, version, clock, identityProvider: identityProviderOf(config, publicUrl) },
      answered: books.written,
      banner: settings.banner,
      demo: channels.demo,
      environment: config.environment,
      config: file.state,
    }
    const audioLengths = createAudioLengths(clock)
    const background = createBackground({
      ...{ relay, clock, random, log, stored: reasoningState },
      answers: createBackgroundAnswers({ store, sealer, clock }),
    })
    const files = createStoredFiles({ store, sealer, clock, random, quotas: settings.quotas })
    const relayServices = {
      files,
      putFilesIn: createPutFilesIn(files, large),
      objects: createObjects({ ...parts, files }),
      fileCopies: createFileCopies({ ...parts, files }),
      large,
      rooms: bodyRooms,
      audioLengths,
      accounts,
      relay,
      realtime,
      keeping: storingRelay(relay, reasoningState, large, background),
      background,
      count: createCounter(parts),
      reasoningState,
      interactions: createInteractions(parts),
      sealer,
      random,
      captures: bodies,
      house: settings.house,
      publicUrl,
      clock,
      heartbeatMs,
      idleMs: config.maxIdleMs,
      spool,
      moderationModel: settings.moderationModel,
      responseSockets: createOpenSockets(),
      tokenUses: createTokenUses(store, clock),
    }
    const { work: longWork, batches } = openBatching({
      ...{ store, sealer, clock, random, log, accounts, settings, files, live, services: relayServices },
      ...{ instance, silenceMs: config.takeoverMs },
      isBusy: () => open.count > config.maxOpen / 4,
    })
    const upstreamWork = openUpstreamWork({
      ...{ store, sealer, relaying: parts, sessions, books, accounts, live, work: longWork, silenceMs: config.takeoverMs },
    })
    const ready = async () => {
      const state = readiness()
      if (state !== 'ready' || ((await store.alive(aliveWithinMs)) && books.isOpen())) return state
      return books.serving() ? 'degraded' : 'unavailable'
    }
    const upkeep = createUsageUpkeep({ store, clock, keepMonths: () => settings.row().keepLogsMonths })
    const failedTests = createFailedTests(clock)
    const alerting = createAlerting({
      ...{ store, sealer, clock, random, log, accounts, teams, channels, prices, health, upstream, instance, publicUrl },
      ...{ budgetsLeft, failedTests },
      journalShare: leasedBooks.journalShare,
      backups: backups?.state,
      bodiesFault: () => bodies.state().stopped?.cause ?? bodies.state().bucketFault?.cause,
    })
    const probe = alerting.watched(createProbe(parts))
    const checkChannels = createChannelChecks({
      minutes: settings.checkMinutes,
      health,
      test: (id, question, signal) =>
        probe.test(id, question, signal, (probed) => void books.record(checkRow(probed, newRequestId({ clock, random })))),
      clock,
      log,
    })
    const replays = createReplays({
      ...{ store, accounts, bodies, channels, prices, clock, random, log, answered: books.written, jobs: longWork },
      dispatch: (call) => replayDispatch(call),
      isBusy: () => open.count > quiet,
      changed: live.replayed,
      keepDays: () => settings.bodies().days,
    })
    const jobs = startJobs({
      ...{ backups, checkChannels, alerting, clock, log, accounts, conversations, invitations, reasoningState, books, limiter },
      ...{ upkeep, file, replays, relay, background, files, batches, work: longWork, takeoverMs: config.takeoverMs },
      ...{ ...upstreamWork, tokenUses: relayServices.tokenUses },
      async prepare() {
        if (open.count > 0) loadEncoding()
      },
    })

    const client = await serveClient(await openFolder(clientFolder))
    const routes = routesOf({
      ...{ accounts, factors, invitations, teams, selling, windowsLeft: createWindowsLeft({ store, clock }) },
      ...{ channels, health, failedTests, prices, probe, settings, conversations, relay, live, replays, consoleServices, client },
      ...{ background, alerts: alerting.alerts, priceTrials: createPriceTrials({ store, clock }) },
      explain: createExplain(parts),
      checkBooks: (signal) => checkBooks({ store, signal, journals: [journalFolder(config)], now: clock.now() }),
      environment: environmentRows(env),
      kept: { keysOf: accounts.keys.countOf, storedBy: ({ id }) => conversations.stored(id), filesOf: ({ id }) => files.stored(id) },
      relayServices: { ...relayServices, ...upstreamWork, batches, estimate: createEstimate(parts), intake: createIntake(parts) },
      readiness: ready,
      startedAt: Math.floor(clock.now() / 1000),
      paper: readPackageText,
    }).concat(metrics && config.metrics && 'token' in config.metrics ? metricsRoute(metrics, config.metrics.token) : [])
    const replayDispatch = createReplayDispatch(routes)
    const app = createApp({
      routes,
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
        void longWork.close()
        realtime.drain()
        relayServices.responseSockets.drain()
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
        closeUpstreams()
        jobs.cancel()
        replays.cut()
        await longWork.close()
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
