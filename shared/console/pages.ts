/** The pages of the console that a search finds: their addresses and English names. */
export const consolePageList: readonly { path: string; name: string; admin?: true }[] = [
  { path: '/', name: 'Playground' },
  { path: '/overview', name: 'Overview' },
  { path: '/requests', name: 'Requests' },
  { path: '/usage', name: 'Usage' },
  { path: '/keys', name: 'Keys' },
  { path: '/models', name: 'Models' },
  { path: '/account', name: 'Account' },
  { path: '/docs', name: 'API reference' },
  { path: '/admin/channels', name: 'Channels', admin: true },
  { path: '/admin/prices', name: 'Models and prices', admin: true },
  { path: '/admin/users', name: 'Users', admin: true },
  { path: '/admin/groups', name: 'Groups', admin: true },
  { path: '/admin/audit', name: 'Audit', admin: true },
  { path: '/admin/settings', name: 'Settings', admin: true },
]
