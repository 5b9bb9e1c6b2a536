/** The pages of the navigation, in its order. A page is listed here when it works. */
import type { IconName } from '#client/ui/icon.tsx'
import type { MessageKey } from './messages.ts'

/** A page of the navigation. */
export interface ShellPage {
  path: string
  label: MessageKey
  icon: IconName
}

/** The playground, listed separately. */
export const playground: ShellPage = { path: '/', label: 'playground', icon: 'chat' }

/** Pages for all users. */
export const ownPages: readonly ShellPage[] = [
  { path: '/overview', label: 'overview', icon: 'home' },
  { path: '/requests', label: 'requests', icon: 'list' },
  { path: '/replay', label: 'replay', icon: 'redo' },
  { path: '/usage', label: 'usage', icon: 'chart' },
  { path: '/keys', label: 'keys', icon: 'key' },
  { path: '/team', label: 'team', icon: 'badge' },
  { path: '/batches', label: 'batches', icon: 'batch' },
  { path: '/models', label: 'models', icon: 'book' },
]

/** Pages for administrators. */
export const adminPages: readonly ShellPage[] = [
  { path: '/admin/channels', label: 'channels', icon: 'server' },
  { path: '/admin/prices', label: 'prices', icon: 'tag' },
  { path: '/admin/users', label: 'users', icon: 'users' },
  { path: '/admin/teams', label: 'teams', icon: 'case' },
  { path: '/admin/selling', label: 'selling', icon: 'ticket' },
  { path: '/admin/groups', label: 'groups', icon: 'layers' },
  { path: '/admin/alerts', label: 'alerts', icon: 'alert' },
  { path: '/admin/audit', label: 'audit', icon: 'audit' },
  { path: '/admin/settings', label: 'settings', icon: 'gear' },
]

/** Whether the address belongs to this page. */
export function isCurrent(page: ShellPage, path: string): boolean {
  if (page.path === '/') return path === '/' || path.startsWith('/c/')
  return path === page.path || path.startsWith(`${page.path}/`)
}
