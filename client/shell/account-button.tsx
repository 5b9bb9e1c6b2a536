import { useNavigate } from '@solidjs/router'
import { Show } from 'solid-js'
import { useSession } from '#client/api/session.ts'
import { formatMoney } from '#client/ui/format.ts'
import { Icon } from '#client/ui/icon.tsx'
import { changeLanguage, type Language, language, languages } from '#client/ui/language.ts'
import { Menu, type MenuEntry } from '#client/ui/menu.tsx'
import { setTheme, type Theme, theme, themes } from '#client/ui/theme.ts'
import { type MessageKey, t } from './messages.ts'

const themeLabel: Record<Theme, MessageKey> = { system: 'themeSystem', light: 'themeLight', dark: 'themeDark' }

/** The signed-in user, the balance, and a menu with the settings of this browser. */
export function AccountButton(props: { folded: boolean; onSignOut(forget?: boolean): void }) {
  const { user } = useSession()
  const navigate = useNavigate()
  const items = (): MenuEntry[] => [
    { kind: 'item', icon: 'gear', label: t('yourAccount'), onSelect: () => navigate('/account') },
    { kind: 'line' },
    {
      kind: 'choice',
      label: t('theme'),
      value: theme(),
      options: themes.map((value) => ({ value, label: t(themeLabel[value]) })),
      onChange: (value) => setTheme(value as Theme),
    },
    { kind: 'line' },
    {
      kind: 'choice',
      label: t('language'),
      value: language(),
      options: Object.entries(languages).map(([value, label]) => ({ value, label })),
      onChange: (value) => void changeLanguage(value as Language),
    },
    { kind: 'line' },
    { kind: 'item', icon: 'out', label: t('signOut'), onSelect: () => props.onSignOut() },
    { kind: 'item', icon: 'trash', bad: true, label: t('signOutForget'), onSelect: () => props.onSignOut(true) },
  ]
  return (
    <div class="flex-none border-t border-line p-2">
      <Menu
        label={t('account')}
        ownName
        placement="top-start"
        triggerClass="account"
        trigger={
          <>
            <span class="avatar" aria-hidden="true">
              {[...user().name].slice(0, 2).join('').toUpperCase()}
            </span>
            <Show when={!props.folded}>
              <span class="min-w-0 flex-1">
                <span class="block truncate text-[13px]/[18px] font-medium">{user().name}</span>
                <span class="tiny num block text-ink-3">{t('left', { balance: formatMoney(user().balance) })}</span>
              </span>
            </Show>
            <span class="hidden-text">{t('account')}</span>
            <Show when={!props.folded}>
              <Icon name="more" />
            </Show>
          </>
        }
        items={items}
      />
    </div>
  )
}
