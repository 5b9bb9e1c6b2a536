/** Local entries of the palette: pages and actions, matched by every typed word. */
import type { IconName } from '#client/ui/icon.tsx'
import { setTheme, theme } from '#client/ui/theme.ts'
import { t } from './messages.ts'
import { adminPages, ownPages, playground } from './pages.ts'

/** A row of the palette. */
export interface PaletteEntry {
  id: string
  section: string
  icon: IconName
  label: string
  note?: string
  /** The link target; otherwise the entry has an action. */
  href?: string
  run?(): void
}

/** Pages and actions whose name contains every word of `text`, in the order of the navigation. */
export function localEntries(text: string, admin: boolean): PaletteEntry[] {
  const pages = [playground, ...ownPages, ...(admin ? adminPages : [])]
  const has = (path: string) => pages.some((page) => page.path === path)
  const entries: PaletteEntry[] = [
    ...pages.map(({ path, label, icon }) => ({ id: `page:${path}`, section: t('goTo'), icon, label: t(label), note: path, href: path })),
    { id: 'page:/account', section: t('goTo'), icon: 'gear', label: t('yourAccount'), note: '/account', href: '/account' },
    { id: 'page:/docs', section: t('goTo'), icon: 'book', label: t('docs'), note: '/docs', href: '/docs' },
    ...(has('/keys') ? [{ id: 'do:key', section: t('doIt'), icon: 'plus' as const, label: t('createKey'), href: '/keys?create=app' }] : []),
    ...(has('/admin/channels')
      ? [{ id: 'do:channel', section: t('doIt'), icon: 'plus' as const, label: t('addChannel'), href: '/admin/channels/new' }]
      : []),
    ...(has('/admin/users')
      ? [{ id: 'do:user', section: t('doIt'), icon: 'plus' as const, label: t('addUser'), href: '/admin/users?create=yes' }]
      : []),
    { id: 'do:theme', section: t('doIt'), icon: 'eye', label: t('switchTheme'), run: switchTheme },
  ]
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return entries.filter(({ label, note = '' }) => words.every((word) => `${label} ${note}`.toLowerCase().includes(word)))
}

function switchTheme(): void {
  const dark = theme() === 'dark' || (theme() === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  setTheme(dark ? 'light' : 'dark')
}
