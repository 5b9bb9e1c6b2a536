/** All routes of the program. */

import type { Settings } from '#accounts/settings'
import type { Prices } from '#billing/pricing/prices'
import { audioRoutes } from '#http/api/audio'
import { embeddingRoutes } from '#http/api/embeddings'
import { geminiRoutes } from '#http/api/gemini'
import { imageRoutes } from '#http/api/images'
import { keyFactRoutes } from '#http/api/key'
import { anthropicRoutes } from '#http/api/messages'
import { modelRoutes } from '#http/api/models'
import { moderationRoutes } from '#http/api/moderations'
import { openaiRoutes } from '#http/api/openai'
import { playgroundRoutes } from '#http/api/playground'
import { realtimeRoutes } from '#http/api/realtime'
import { rerankRoutes } from '#http/api/rerank'
import { searchRoutes } from '#http/api/search'
import { auditRoutes } from '#http/console/accounts/audit'
import { type ConversationDeps, conversationRoutes } from '#http/console/accounts/conversations'
import { groupRoutes } from '#http/console/accounts/groups'
import { keyRoutes } from '#http/console/accounts/keys'
import { managementKeyRoutes } from '#http/console/accounts/management-keys'
import { type QuotaDeps, quotaRoutes } from '#http/console/accounts/quotas'
import { sessionRoutes } from '#http/console/accounts/session'
import { singleSignOnRoutes } from '#http/console/accounts/single-sign-on'
import { userRoutes } from '#http/console/accounts/users'
import { channelRoutes } from '#http/console/catalogue/channels'
import { explainRoutes } from '#http/console/catalogue/explain'
import { modelRoutes as consoleModelRoutes } from '#http/console/catalogue/models'
import { priceRoutes } from '#http/console/catalogue/prices'
import { probeRoutes } from '#http/console/catalogue/probe'
import { eventRoutes } from '#http/console/installation/events'
import { overviewRoutes } from '#http/console/installation/overview'
import { searchRoutes as consoleSearchRoutes } from '#http/console/installation/search'
import { type SettingsDeps, settingsRoutes } from '#http/console/installation/settings'
import { setupRoutes } from '#http/console/installation/setup'
import { statusRoutes } from '#http/console/installation/status'
import type { ConsoleServices } from '#http/console/route/services'
import { bodyRoutes } from '#http/console/usage/bodies'
import { type BooksDeps, booksRoutes } from '#http/console/usage/books'
import { logRoutes } from '#http/console/usage/logs'
import { usageRoutes } from '#http/console/usage/usage'
import { docsRoutes } from '#http/docs/routes'
import { healthRoutes, type Readiness } from '#http/health'
import type { Route } from '#http/request/route'
import type { LiveChanges } from '#live/live-changes'
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
  conversations: ConversationDeps['conversations']
  environment: SettingsDeps['environment']
  accounts: ConsoleServices['accounts']
  channels: ChannelRegistry
  prices: Prices
  relay: Relay
  live: LiveChanges
  consoleServices: ConsoleServices
  relayServices: Parameters<typeof playgroundRoutes>[0] &
    Parameters<typeof openaiRoutes>[0] &
    Parameters<typeof audioRoutes>[0] &
    Parameters<typeof moderationRoutes>[0] &
    Parameters<typeof realtimeRoutes>[0]
  readiness(): Promise<Readiness>
  /** Seconds since the epoch. */
  startedAt: number
  /** docs/losses.md, for the API reference; undefined when it is not installed. */
  losses: string | undefined
  /** Serves the built client. */
  client: Parameters<typeof docsRoutes>[0]['client']
}

/** Every route, the API reference included. */
export function routesOf({
  accounts,
  conversations,
  environment,
  channels,
  health,
  explain,
  checkBooks,
  probe,
  settings,
  kept,
  prices,
  live,
  consoleServices,
  relayServices,
  readiness,
  startedAt,
  losses,
  client,
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
    ...keyFactRoutes({ ...consoleServices, channels, prices }),
    ...[
      managementKeyRoutes,
      statusRoutes,
      setupRoutes,
      sessionRoutes,
      singleSignOnRoutes,
      groupRoutes,
      userRoutes,
      keyRoutes,
      logRoutes,
      bodyRoutes,
      usageRoutes,
      auditRoutes,
    ].flatMap((routes) => routes(consoleServices)),
    ...channelRoutes({ ...consoleServices, channels, health }),
    ...probeRoutes({ ...consoleServices, probe, channels }),
    ...settingsRoutes({ ...consoleServices, settings, environment }),
    ...conversationRoutes({ ...consoleServices, conversations }),
    ...eventRoutes({ ...consoleServices, live }),
    ...consoleSearchRoutes({ ...consoleServices, channels }),
    ...overviewRoutes({ ...consoleServices, channels, prices, health }),
    ...quotaRoutes({ ...consoleServices, quotas: settings.quotas, ...kept }),
    ...explainRoutes({ ...consoleServices, explain }),
    ...booksRoutes({ ...consoleServices, checkBooks }),
    ...priceRoutes({ ...consoleServices, channels, prices }),
    ...consoleModelRoutes({ ...consoleServices, channels, prices }),
  ]
  return [...routes, ...docsRoutes({ ...consoleServices, losses, client }, routes)]
}
