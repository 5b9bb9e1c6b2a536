/** All routes of the program. */

import type { Settings } from '#accounts/settings'
import type { Prices } from '#billing/pricing/prices'
import { audioRoutes } from '#http/api/audio'
import { embeddingRoutes } from '#http/api/embeddings'
import { geminiRoutes } from '#http/api/gemini'
import { imageRoutes } from '#http/api/images'
import { anthropicRoutes } from '#http/api/messages'
import { modelRoutes } from '#http/api/models'
import { moderationRoutes } from '#http/api/moderations'
import { openaiRoutes } from '#http/api/openai'
import { playgroundRoutes } from '#http/api/playground'
import { realtimeRoutes } from '#http/api/realtime'
import { rerankRoutes } from '#http/api/rerank'
import { searchRoutes } from '#http/api/search'
import { auditRoutes } from '#http/console/audit'
import { channelRoutes } from '#http/console/channels'
import { type BooksDeps, booksRoutes, explainRoutes } from '#http/console/explain'
import { groupRoutes } from '#http/console/groups'
import { keyRoutes } from '#http/console/keys'
import { logRoutes } from '#http/console/logs'
import { modelRoutes as consoleModelRoutes } from '#http/console/models'
import { priceRoutes } from '#http/console/prices'
import { probeRoutes } from '#http/console/probe'
import { type QuotaDeps, quotaRoutes } from '#http/console/quotas'
import type { ConsoleServices } from '#http/console/services'
import { sessionRoutes } from '#http/console/session'
import { settingsRoutes } from '#http/console/settings'
import { setupRoutes } from '#http/console/setup'
import { statusRoutes } from '#http/console/status'
import { usageRoutes } from '#http/console/usage'
import { userRoutes } from '#http/console/users'
import { docsRoutes } from '#http/docs/routes'
import { healthRoutes, type Readiness } from '#http/health'
import type { Route } from '#http/request/route'
import type { Explain } from '#relay/admin/explain'
import type { Probe } from '#relay/admin/probe'
import type { Relay } from '#relay/contract/relay'
import type { ChannelRegistry } from '#routing/channels'
import type { Health } from '#routing/health-contract'

/** What the routes need from the program. */
export interface RouteParts {
  health: Health
  explain: Explain
  checkBooks: BooksDeps['checkBooks']
  probe: Probe
  settings: Settings
  /** What users have of what has a quota. */
  kept: Pick<QuotaDeps, 'keysOf' | 'storedBy'>
  accounts: ConsoleServices['accounts']
  channels: ChannelRegistry
  prices: Prices
  relay: Relay
  consoleServices: ConsoleServices
  relayServices: Parameters<typeof playgroundRoutes>[0] &
    Parameters<typeof openaiRoutes>[0] &
    Parameters<typeof moderationRoutes>[0] &
    Parameters<typeof realtimeRoutes>[0]
  readiness(): Promise<Readiness>
  /** Seconds since the epoch. */
  startedAt: number
  /** docs/losses.md, for the API reference; undefined when it is not installed. */
  losses: string | undefined
}

/** Every route, the API reference included. */
export function routesOf({
  accounts,
  channels,
  health,
  explain,
  checkBooks,
  probe,
  settings,
  kept,
  prices,
  consoleServices,
  relayServices,
  readiness,
  startedAt,
  losses,
}: RouteParts): Route[] {
  const routes = [
    ...healthRoutes(readiness),
    ...openaiRoutes(relayServices),
    ...anthropicRoutes(relayServices),
    ...geminiRoutes(relayServices),
    ...embeddingRoutes(relayServices),
    ...audioRoutes(relayServices),
    ...imageRoutes(relayServices),
    ...realtimeRoutes(relayServices),
    ...moderationRoutes(relayServices),
    ...[rerankRoutes, searchRoutes].flatMap((routes) => routes(relayServices)),
    ...playgroundRoutes(relayServices),
    ...modelRoutes({ accounts, channels, prices, startedAt }),
    ...[statusRoutes, setupRoutes, sessionRoutes, groupRoutes, userRoutes, keyRoutes, logRoutes, usageRoutes, auditRoutes].flatMap(
      (routes) => routes(consoleServices),
    ),
    ...channelRoutes({ ...consoleServices, channels, health }),
    ...probeRoutes({ ...consoleServices, probe, channels }),
    ...settingsRoutes({ ...consoleServices, settings }),
    ...quotaRoutes({ ...consoleServices, quotas: settings.quotas, ...kept }),
    ...explainRoutes({ ...consoleServices, explain }),
    ...booksRoutes({ ...consoleServices, checkBooks }),
    ...priceRoutes({ ...consoleServices, channels, prices }),
    ...consoleModelRoutes({ ...consoleServices, channels, prices }),
  ]
  return [...routes, ...docsRoutes({ ...consoleServices, losses }, routes)]
}
