/** The interface of the running program, and its dependencies. */
import type { App } from '#http/app'
import type { ConsoleServices } from '#http/console/route/services'
import type { Readiness } from '#http/health'
import type { Metrics } from '#metrics/metrics'
import type { Log } from '#runtime/log'
import type { OpeningStore } from '#store/engine/open'
import type { MediaPolicy } from '#upstream/media-policy'
import type { Config } from './config.ts'

/** The running program. */
export interface Standing {
  app: App
  accounts: ConsoleServices['accounts']
  /** Undefined where they are not served. */
  metrics: Metrics | undefined
  /** Requests that are not settled yet. */
  open(): number
  /** Asks long-lived sessions to end when they become idle. */
  drain(): void
  /** Ends all open requests with an error; resolves when they are settled. */
  cut(): Promise<void>
  /** Reads parley.yaml again. Never rejects. */
  reload(): Promise<void>
  close(): Promise<void>
}

/** Dependencies of the program. */
export interface Surroundings {
  config: Config
  env: Record<string, string | undefined>
  log: Log
  publicUrl: URL
  /** The store, whose opening began before this module was loaded. */
  opening: OpeningStore
  /** Called once per readiness check. */
  readiness(): Readiness
  /** False: new work is refused. */
  work: { readonly taken: boolean }
  /** Which media URLs in requests may be fetched. */
  mediaPolicy: MediaPolicy
}
