/** All routes of the program. */

import type { Settings } from '#accounts/settings'
import type { TeamClaims } from '#accounts/teams/claims'
import type { Alerts } from '#alerts/alerts'
import type { PriceTrials } from '#billing/pricing/price-trials'
import type { Prices } from '#billing/pricing/prices'
import type { Calls } from '#calls/calls'
import { geminiBatchAt, geminiBatchRoutes } from '#http/api/batches/gemini-batches'
import type { BatchServices } from '#http/api/batches/making'
import { messageBatchRoutes } from '#http/api/batches/message-batches'
import { openaiBatchRoutes } from '#http/api/batches/openai-batches'
import { bedrockRoutes } from '#http/api/bedrock'
import { conversationRoutes as itemConversationRoutes } from '#http/api/conversations'
import { fileRoutes } from '#http/api/files/files'
import { geminiFileRoutes } from '#http/api/files/gemini-files'
import { uploadRoutes } from '#http/api/files/uploads'
import { furtherAddresses } from '#http/api/further-addresses'
import { geminiRoutes } from '#http/api/gemini'
import { geminiVideoAt, geminiVideoRoutes, operationAt } from '#http/api/gemini-videos'
import { interactionRoutes } from '#http/api/interactions/interactions'
import { stopInBackground } from '#http/api/interactions/passing'
import { keyFactRoutes } from '#http/api/key'
import { anthropicRoutes } from '#http/api/messages'
import { modelRoutes } from '#http/api/models'
import { objectRoutes } from '#http/api/objects'
import { ollamaRoutes } from '#http/api/ollama'
import { openaiRoutes } from '#http/api/openai'
import { openaiVideoRoutes } from '#http/api/openai-videos'
import { audioRoutes } from '#http/api/operations/audio'
import { embeddingRoutes } from '#http/api/operations/embeddings'
import { imageRoutes } from '#http/api/operations/images'
import { moderationRoutes } from '#http/api/operations/moderations'
import { rerankRoutes } from '#http/api/operations/rerank'
import { searchRoutes } from '#http/api/operations/search'
import { playgroundRoutes } from '#http/api/playground'
import { callRoutes } from '#http/api/realtime/calls'
import { realtimeSecretRoutes } from '#http/api/realtime/client-secrets'
import { liveRoutes } from '#http/api/realtime/gemini-live'
import { liveTokenRoutes } from '#http/api/realtime/live-tokens'
import { realtimeRoutes } from '#http/api/realtime/realtime'
import { openResponseSocket, type ResponseSocketServices } from '#http/api/responses-socket'
import type { VideoServices } from '#http/api/video-making'
import { auditRoutes } from '#http/console/accounts/audit'
import { type ConversationDeps, conversationRoutes } from '#http/console/accounts/conversations'
import { factorRoutes } from '#http/console/accounts/factors'
import { groupRoutes } from '#http/console/accounts/groups'
import { type InvitationServices, invitationRoutes } from '#http/console/accounts/invitations'
import { keyRoutes } from '#http/console/accounts/keys'
import { managementKeyRoutes } from '#http/console/accounts/management-keys'
import { type QuotaDeps, quotaRoutes } from '#http/console/accounts/quotas'
import { type SellingServices, sellingRoutes } from '#http/console/accounts/selling'
import { sessionRoutes } from '#http/console/accounts/session'
import { type FactorServices, signInStepRoutes } from '#http/console/accounts/sign-in-steps'
import { singleSignOnRoutes } from '#http/console/accounts/single-sign-on'
import { type TeamServices, teamRoutes } from '#http/console/accounts/teams'
import { userSessionRoutes } from '#http/console/accounts/user-sessions'
import { userRoutes } from '#http/console/accounts/users'
import { catalogueRoutes } from '#http/console/catalogue/catalogue'
import { channelRoutes } from '#http/console/catalogue/channels'
import { explainRoutes } from '#http/console/catalogue/explain'
import { invoiceRoutes } from '#http/console/catalogue/invoices'
import { modelRoutes as consoleModelRoutes } from '#http/console/catalogue/models'
import { priceCostRoutes } from '#http/console/catalogue/price-cost'
import { priceEffectRoutes } from '#http/console/catalogue/price-effect'
import { priceRoutes } from '#http/console/catalogue/prices'
import { probeRoutes } from '#http/console/catalogue/probe'
import { alertRoutes } from '#http/console/installation/alerts'
import { eventRoutes } from '#http/console/installation/events'
import { exportRoutes } from '#http/console/installation/export'
import { overviewRoutes } from '#http/console/installation/overview'
import { searchRoutes as consoleSearchRoutes } from '#http/console/installation/search'
import { type SettingsDeps, settingsRoutes } from '#http/console/installation/settings'
import { setupRoutes } from '#http/console/installation/setup'
import { statusRoutes } from '#http/console/installation/status'
import type { ConsoleServices } from '#http/console/route/services'
import { batchRoutes } from '#http/console/usage/batches'
import { bodyRoutes } from '#http/console/usage/bodies'
import { bodyExportRoutes } from '#http/console/usage/bodies-export'
import { type BooksDeps, booksRoutes } from '#http/console/usage/books'
import { logRoutes } from '#http/console/usage/logs'
import { type ReplayServices, replayRoutes } from '#http/console/usage/replays'
import { usageRoutes } from '#http/console/usage/usage'
import { workRoutes } from '#http/console/usage/work'
import { docsRoutes } from '#http/docs/routes'
import { healthRoutes, type Readiness } from '#http/health'
import type { Route } from '#http/request/route'
import type { LiveChanges } from '#live/live-changes'
import type { Explain } from '#relay/admin/explain'
import type { Probe } from '#relay/admin/probe'
import type { Relay } from '#relay/contract/relay'
import type { Background } from '#relay/conversation/background'
import type { WatchedCalls } from '#relay/realtime/watched-call'
import type { ChannelRegistry } from '#routing/channels'
import type { FailedTests } from '#routing/failed-tests'
import type { Health } from '#routing/health-contract'

/** What the routes need from the program. */
export interface RouteParts {
  alerts: Alerts
  health: Health
  explain: Explain
  checkBooks: BooksDeps['checkBooks']
  probe: Probe
  failedTests: FailedTests
  background: Pick<Background, 'open' | 'cancel'>
  settings: Settings
  /** What users have stored of everything with a quota. */
  kept: Pick<QuotaDeps, 'keysOf' | 'storedBy' | 'filesOf'>
  conversations: ConversationDeps['conversations']
  environment: SettingsDeps['environment']
  accounts: ConsoleServices['accounts']
  teams: TeamServices['teams'] & TeamClaims
  factors: FactorServices['factors']
  invitations: InvitationServices['invitations']
  selling: SellingServices['selling']
  windowsLeft: SellingServices['windowsLeft']
  channels: ChannelRegistry
  prices: Prices
  priceTrials: PriceTrials
  relay: Relay
  live: LiveChanges
  consoleServices: ConsoleServices
  relayServices: Parameters<typeof playgroundRoutes>[0] &
    ResponseSocketServices &
    Parameters<typeof audioRoutes>[0] &
    Parameters<typeof moderationRoutes>[0] &
    Parameters<typeof fileRoutes>[0] &
    Parameters<typeof objectRoutes>[0] &
    Parameters<typeof itemConversationRoutes>[0] &
    BatchServices &
    VideoServices &
    Parameters<typeof interactionRoutes>[0] &
    Parameters<typeof realtimeRoutes>[0] &
    Parameters<typeof liveTokenRoutes>[0] &
    Parameters<typeof callRoutes>[0] & { calls: Pick<Calls, 'open'>; watchedCalls: Pick<WatchedCalls, 'spent'> } & Parameters<
      typeof realtimeSecretRoutes
    >[0]
  replays: ReplayServices['replays']
  readiness(): Promise<Readiness>
  /** Seconds since the epoch. */
  startedAt: number
  paper: Parameters<typeof docsRoutes>[0]['paper']
  /** Serves the built client. */
  client: Parameters<typeof docsRoutes>[0]['client']
}

/** Every route, the API reference included. */
export function routesOf({
  accounts,
  teams,
  factors,
  invitations,
  selling,
  windowsLeft,
  alerts,
  conversations,
  environment,
  channels,
  health,
  explain,
  checkBooks,
  probe,
  failedTests,
  background,
  settings,
  kept,
  prices,
  priceTrials,
  live,
  consoleServices,
  relayServices,
  replays,
  readiness,
  startedAt,
  paper,
  client,
}: RouteParts): Route[] {
  const routes = [
    ...healthRoutes(readiness),
    ...openaiRoutes(relayServices, (visit) => openResponseSocket(relayServices, visit)),
    ...itemConversationRoutes(relayServices),
    ...anthropicRoutes(relayServices),
    ...openaiBatchRoutes(relayServices),
    ...messageBatchRoutes(relayServices),
    ...geminiRoutes(relayServices, (visit, path) => geminiBatchAt(relayServices, visit, path) ?? geminiVideoAt(relayServices, visit, path)),
    ...geminiBatchRoutes(relayServices),
    ...openaiVideoRoutes(relayServices),
    ...geminiVideoRoutes(relayServices),
    ...interactionRoutes(relayServices),
    ...ollamaRoutes({ ...relayServices, channels, prices, startedAt }),
    ...bedrockRoutes(relayServices),
    ...embeddingRoutes(relayServices),
    ...audioRoutes(relayServices),
    ...imageRoutes(relayServices),
    ...realtimeRoutes(relayServices),
    ...realtimeSecretRoutes(relayServices),
    ...liveRoutes(relayServices),
    ...liveTokenRoutes(relayServices),
    ...callRoutes(relayServices),
    ...fileRoutes(relayServices),
    ...geminiFileRoutes(relayServices),
    ...uploadRoutes(relayServices),
    ...objectRoutes(relayServices),
    ...moderationRoutes(relayServices),
    ...[rerankRoutes, searchRoutes].flatMap((routes) => routes(relayServices)),
    ...playgroundRoutes(relayServices),
    ...modelRoutes({ accounts, channels, prices, startedAt, operation: (visit, name) => operationAt(relayServices, visit, name) }),
    ...keyFactRoutes({ ...consoleServices, windowsLeft, channels, prices }),
    ...[
      managementKeyRoutes,
      statusRoutes,
      setupRoutes,
      sessionRoutes,
      userRoutes,
      userSessionRoutes,
      keyRoutes,
      logRoutes,
      bodyRoutes,
      bodyExportRoutes,
      usageRoutes,
      auditRoutes,
    ].flatMap((routes) => routes(consoleServices)),
    ...groupRoutes({ ...consoleServices, channels }),
    ...singleSignOnRoutes({ ...consoleServices, teams, invitations }),
    ...[signInStepRoutes, factorRoutes].flatMap((routes) => routes({ ...consoleServices, factors })),
    ...invitationRoutes({ ...consoleServices, invitations }),
    ...teamRoutes({ ...consoleServices, teams }),
    ...sellingRoutes({ ...consoleServices, teams, selling, windowsLeft }),
    ...channelRoutes({ ...consoleServices, channels, health }),
    ...probeRoutes({ ...consoleServices, probe, channels }),
    ...settingsRoutes({ ...consoleServices, settings, environment }),
    ...exportRoutes({ ...consoleServices, teams, selling, channels, prices, settings }),
    ...conversationRoutes({ ...consoleServices, conversations }),
    ...alertRoutes({ ...consoleServices, alerts }),
    ...batchRoutes({ ...consoleServices, batches: relayServices.batches }),
    ...workRoutes({
      ...{ ...consoleServices, videos: relayServices.videos, answers: background },
      interactions: { list: relayServices.backgroundInteractions.list, stop: (id) => stopInBackground(relayServices, id) },
      calls: {
        open: relayServices.calls.open,
        spent: relayServices.watchedCalls.spent,
        stop: relayServices.callEndpoints.end,
      },
    }),
    ...eventRoutes({ ...consoleServices, live }),
    ...consoleSearchRoutes({ ...consoleServices, channels, teams, selling }),
    ...overviewRoutes({ ...consoleServices, channels, prices, health, failedTests }),
    ...quotaRoutes({ ...consoleServices, quotas: settings.quotas, invitationsOf: invitations.countOf, ...kept }),
    ...explainRoutes({ ...consoleServices, explain }),
    ...invoiceRoutes({ ...consoleServices, channels }),
    ...booksRoutes({ ...consoleServices, checkBooks }),
    ...replayRoutes({ ...consoleServices, replays }),
    ...priceRoutes({ ...consoleServices, channels, prices }),
    ...catalogueRoutes({ ...consoleServices, channels, prices }),
    ...priceEffectRoutes({ ...consoleServices, prices, trials: priceTrials }),
    ...consoleModelRoutes({ ...consoleServices, channels, prices }),
    ...priceCostRoutes({ ...consoleServices, channels, prices }),
  ]
  const all = [...routes, ...furtherAddresses(relayServices, routes)]
  return [...all, ...docsRoutes({ ...consoleServices, paper, client }, all)]
}
