/** The pages of the console: their addresses, and how each is loaded when it is first opened. */
import type { Component } from 'solid-js'

/** A page of the console. */
export interface ConsolePage {
  paths: readonly string[]
  /** Only administrators may open it. */
  admin?: true
  load(): Promise<Component>
}

/** The API reference, available without signing in too. */
export const docsPage = async (): Promise<Component<{ alone?: boolean }>> => (await import('#client/features/docs/docs-page.tsx')).DocsPage

/** Every page of the console. */
export const consolePages: readonly ConsolePage[] = [
  { paths: ['/overview'], load: async () => (await import('#client/features/overview/overview-page.tsx')).OverviewPage },
  { paths: ['/requests'], load: async () => (await import('#client/features/requests/list-page.tsx')).RequestsPage },
  { paths: ['/requests/:id'], load: async () => (await import('#client/features/requests/request-page.tsx')).RequestPage },
  { paths: ['/replay', '/admin/replay'], load: async () => (await import('#client/features/replays/list-page.tsx')).ReplaysPage },
  { paths: ['/replay/:id'], load: async () => (await import('#client/features/replays/replay-page.tsx')).ReplayPage },
  { paths: ['/usage'], load: async () => (await import('#client/features/usage/usage-page.tsx')).UsagePage },
  { paths: ['/keys'], load: async () => (await import('#client/features/keys/list-page.tsx')).KeysPage },
  { paths: ['/keys/:id'], load: async () => (await import('#client/features/keys/key-page.tsx')).KeyPage },
  { paths: ['/batches'], load: async () => (await import('#client/features/batches/batches-page.tsx')).BatchesPage },
  { paths: ['/team'], load: async () => (await import('#client/features/teams/teams-page.tsx')).OwnTeamsPage },
  { paths: ['/admin/teams'], admin: true, load: async () => (await import('#client/features/teams/teams-page.tsx')).TeamsPage },
  {
    paths: ['/admin/channels'],
    admin: true,
    load: async () => (await import('#client/features/channels/list/list-page.tsx')).ChannelsPage,
  },
  {
    paths: ['/admin/channels/new'],
    admin: true,
    load: async () => (await import('#client/features/channels/add-page.tsx')).AddChannelPage,
  },
  {
    paths: ['/admin/channels/simulate'],
    admin: true,
    load: async () => (await import('#client/features/channels/simulate-page.tsx')).SimulatePage,
  },
  {
    paths: ['/admin/channels/:id'],
    admin: true,
    load: async () => (await import('#client/features/channels/channel-page.tsx')).ChannelPage,
  },
  { paths: ['/admin/users'], admin: true, load: async () => (await import('#client/features/users/list-page.tsx')).UsersPage },
  { paths: ['/admin/users/:id'], admin: true, load: async () => (await import('#client/features/users/user-page.tsx')).UserPage },
  { paths: ['/admin/prices'], admin: true, load: async () => (await import('#client/features/prices/prices-page.tsx')).PricesPage },
  { paths: ['/admin/groups'], admin: true, load: async () => (await import('#client/features/groups/groups-page.tsx')).GroupsPage },
  { paths: ['/admin/selling'], admin: true, load: async () => (await import('#client/features/selling/selling-page.tsx')).SellingPage },
  { paths: ['/admin/audit'], admin: true, load: async () => (await import('#client/features/audit/audit-page.tsx')).AuditPage },
  { paths: ['/admin/alerts'], admin: true, load: async () => (await import('#client/features/alerts/alerts-page.tsx')).AlertsPage },
  { paths: ['/admin/settings'], admin: true, load: async () => (await import('#client/features/settings/settings-page.tsx')).SettingsPage },
  { paths: ['/models'], load: async () => (await import('#client/features/models/models-page.tsx')).ModelsPage },
  { paths: ['/account'], load: async () => (await import('#client/features/account/account-page.tsx')).AccountPage },
  { paths: ['/docs'], load: docsPage },
]
