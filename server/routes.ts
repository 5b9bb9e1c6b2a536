/** Every door of the house, in one list. */

import type { Settings } from '#accounts/settings'
import { anthropicRoutes } from '#edge/anthropic'
import { audioRoutes } from '#edge/audio'
import { auditRoutes } from '#edge/console/audit'
import { channelRoutes } from '#edge/console/channels'
import { groupRoutes } from '#edge/console/groups'
import { keyRoutes } from '#edge/console/keys'
import { logRoutes } from '#edge/console/logs'
import { modelRoutes as consoleModelRoutes } from '#edge/console/models'
import { priceRoutes } from '#edge/console/prices'
import { probeRoutes } from '#edge/console/probe'
import { explainRoutes } from '#edge/console/route'
import { sessionRoutes } from '#edge/console/session'
import { settingsRoutes } from '#edge/console/settings'
import { setupRoutes } from '#edge/console/setup'
import { statusRoutes } from '#edge/console/status'
import { usageRoutes } from '#edge/console/usage'
import { userRoutes } from '#edge/console/users'
import { docsRoutes } from '#edge/docs'
import { embeddingRoutes } from '#edge/embeddings'
import { geminiRoutes } from '#edge/gemini'
import { healthRoutes, type Readiness } from '#edge/health'
import type { ConsoleServices } from '#edge/house'
import { imageRoutes } from '#edge/images'
import { modelRoutes } from '#edge/models'
import { moderationRoutes } from '#edge/moderations'
import { openaiRoutes } from '#edge/openai'
import { playgroundRoutes } from '#edge/playground'
import { realtimeRoutes } from '#edge/realtime'
import { rerankRoutes } from '#edge/rerank'
import type { Route } from '#edge/route'
import { searchRoutes } from '#edge/search'
import type { Prices } from '#metering/prices'
import type { Explain } from '#relay/admin/explain'
import type { Probe } from '#relay/admin/probe'
import type { Relay } from '#relay/contract/relay'
import type { ChannelRegistry } from '#routing/channels'
import type { Health } from '#routing/health'

export interface Doors {
  health: Health
  explain: Explain
  probe: Probe
  settings: Settings
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
  /** The page about losses, for the reference; undefined where it is not installed. */
  losses: string | undefined
}

export function routesOf({
  accounts,
  channels,
  health,
  explain,
  probe,
  settings,
  prices,
  consoleServices,
  relayServices,
  readiness,
  startedAt,
  losses,
}: Doors): Route[] {
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
    ...probeRoutes({ ...consoleServices, probe }),
    ...settingsRoutes({ ...consoleServices, settings }),
    ...explainRoutes({ ...consoleServices, explain }),
    ...priceRoutes({ ...consoleServices, prices }),
    ...consoleModelRoutes({ ...consoleServices, channels, prices }),
  ]
  return [...routes, ...docsRoutes({ ...consoleServices, losses }, routes)]
}
