/**
 * Starts and stops the program: reads the configuration, opens the port, builds the app behind it, and shuts down in order. A
 * failure at startup is one clear line on standard error and exit code 1.
 */
import { bootAnswer } from '#http/boot'
import type { Readiness } from '#http/health'
import { metricsApp } from '#http/metrics'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { type Listener, type ListenOptions, listen } from '#runtime/listen'
import { createLog, type Log } from '#runtime/log'
import { environment, exit, fail, keepFilesPrivate, onHangUp, onTermination, onUncaught, outliveOutput, printLine } from '#runtime/process'
import { demandNoFile } from '#runtime/small-file'
import { beginStore } from '#store/engine/open'
import { isStrayWrite } from '#store/engine/stray-write'
import type { MediaPolicy } from '#upstream/media-policy'
import { type Config, readConfig } from './config.ts'
import { mistyped } from './environment.ts'
import { createHealthChecks } from './health-checks.ts'
import type { Standing } from './standing.ts'

/** Bytes; higher than all of Parley's own limits, so that they apply first, with their own error messages. */
const maxBodyBytes = 256 * 1024 * 1024
/** Bodies sent to the port for metrics are not read: they get 405, longer ones 413. */
const mostMetricsBytes = 64 * 1024

const reason = (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')[0]

/** Milliseconds for moving clients of a shared port to the other processes before it is closed here. */
const handOverMs = 2_000

function addressOf(config: Config, port: number): string {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  return `http://${host}:${port}`
}

async function introduce(standing: Standing, config: Config): Promise<void> {
  const { accounts } = standing
  if (config.adminUser !== undefined && config.adminPassword !== undefined) {
    const made = await accounts.ensureAdmin(config.adminUser, config.adminPassword)
    if (made) printLine(`PARLEY_KEY=${made.key.key}`)
  }
  if (accounts.setupNeeded()) printLine(`Parley setup token: ${accounts.setupToken}`)
}

/** Moves clients of a shared port to the other processes and closes it here, without refusing a request. */
async function handOver(listener: Listener, hurried: AbortSignal): Promise<void> {
  listener.shed()
  await clock.sleep(handOverMs, hurried).catch(() => undefined)
  void listener.stop(false)
}

/** Lets open requests finish within the limit, then cuts off the rest and closes the books. */
async function shutDown(listener: Listener, standing: Standing, limitMs: number, hurried: AbortSignal): Promise<void> {
  const until = clock.monotonic() + limitMs
  standing.drain()
  while (standing.open() > 0 && clock.monotonic() < until && !hurried.aborted) await clock.sleep(20)
  await Promise.race([standing.cut(), clock.sleep(3_000)])
  const late = clock.sleep(1_000).then(() => listener.stop(true))
  await Promise.race([listener.stop(standing.open() > 0), late])
  const settled = clock.monotonic() + 3_000
  while (standing.open() > 0 && clock.monotonic() < settled) await clock.sleep(20)
  await standing.close()
}

/** The port for metrics alone, if there is to be one. */
function listenForMetrics({ metrics }: Standing, { metrics: place, maxIdleMs: idleMs }: Config): Listener | undefined {
  if (metrics === undefined || place === undefined || !('port' in place)) return undefined
  const app = { ...place, shared: false, idleMs, maxBodyBytes: mostMetricsBytes, handle: metricsApp(metrics) }
  const listener = listen(app, 'PARLEY_METRICS')
  printLine(`Metrics on http://${place.hostname.includes(':') ? `[${place.hostname}]` : place.hostname}:${listener.port}/metrics`)
  return listener
}

/** Checks folders that are created on demand. Throws an Error that names the variable where that is impossible. */
async function demandFolders({ backupFolder, bodiesPlace }: Config): Promise<void> {
  const named = [
    ['PARLEY_BACKUPS', backupFolder],
    ['PARLEY_BODIES', bodiesPlace && 'folder' in bodiesPlace ? bodiesPlace.folder : undefined],
  ] as const
  for (const [variable, folder] of named) {
    if (folder === undefined) continue
    await demandNoFile(folder).catch((thrown: unknown) => {
      throw new Error(`${variable}: ${thrown instanceof Error ? thrown.message : thrown}`)
    })
  }
}

async function start(log: Log, config: Config, mediaPolicy: MediaPolicy): Promise<void> {
  const env = environment()
  await demandFolders(config)
  const shared = config.reusePort === 'on'
  let readiness: Readiness = 'starting'
  const checks = createHealthChecks(clock)
  const work = { taken: true }
  const served: ListenOptions = {
    hostname: config.host,
    port: config.port,
    shared,
    idleMs: config.maxIdleMs,
    maxBodyBytes,
    handle: bootAnswer,
  }
  const open = () => listen(served)
  // A shared port is opened only when this process can serve requests.
  const early = shared ? undefined : open()
  const { dataFolder, databaseUrl } = config
  const opening = beginStore({ dataFolder, ...(databaseUrl !== undefined && { databaseUrl }), clock, random, log: printLine })
  // The rest is loaded while the database opens.
  const { build } = await import('./app.ts')
  const publicUrl = new URL(config.publicUrl ?? addressOf(config, early?.port ?? config.port))
  const built = await build({
    config,
    env,
    log,
    publicUrl,
    opening,
    mediaPolicy,
    readiness() {
      checks.checked(readiness === 'draining')
      return readiness
    },
    work,
  }).catch(async (thrown: unknown) => {
    await opening.abandon()
    throw thrown
  })
  await introduce(built, config)
  served.handle = built.app
  const listener = early ?? open()

  const metricsListener = listenForMetrics(built, config)

  const hurry = new AbortController()
  async function leave(): Promise<void> {
    if (shared) await handOver(listener, hurry.signal)
    else await checks.seen(hurry.signal)
    work.taken = false
    void metricsListener?.stop(true)
    await shutDown(listener, built, config.drainSeconds * 1000, hurry.signal)
  }
  onHangUp(() => void built.reload())
  onTermination(
    () => {
      readiness = 'draining'
      log.info({ open: built.open() }, 'shutting down')
      leave().then(
        () => exit(0),
        (thrown) => fail(`Parley could not shut down cleanly: ${reason(thrown)}`),
      )
    },
    () => hurry.abort(),
  )
  readiness = 'ready'
  printLine(`Parley listening on ${addressOf(config, listener.port)}`)
}

/** Runs until a signal ends the process. `mediaPolicy`: which media URLs may be fetched; deliberately not configurable. */
export async function turnKey(mediaPolicy: MediaPolicy): Promise<void> {
  outliveOutput()
  keepFilesPrivate()
  try {
    const config = readConfig(environment())
    const log = createLog(config.logLevel)
    for (const { name, meant } of mistyped(environment())) log.warn({ variable: name }, `Parley does not read ${name}; is it ${meant}?`)
    onUncaught((thrown) => {
      if (isStrayWrite(thrown)) return log.warn({ err: thrown }, 'a database connection was closed during a write')
      log.error({ err: thrown }, 'uncaught error; exiting')
      exit(1)
    })
    await start(log, config, mediaPolicy)
  } catch (thrown) {
    fail(`Parley cannot start: ${reason(thrown)}`)
  }
}
