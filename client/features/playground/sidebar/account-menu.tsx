import { type MessageKey, t } from '#client/features/playground/messages/messages.ts'
import { keepsOnServer, setKeepsOnServer } from '#client/features/playground/state/keep-choice.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { revealHiddenCharacters } from '#client/features/playground/text/reveal-hidden-characters.ts'
import { downloadFile } from '#client/ui/copy-and-save.ts'
import { formatMoney } from '#client/ui/format.ts'
import { Icon } from '#client/ui/icon.tsx'
import { changeLanguage, type Language, language, languages } from '#client/ui/language.ts'
import { Menu, type MenuEntry } from '#client/ui/menu.tsx'
import { setTheme, type Theme, theme, themes } from '#client/ui/theme.ts'
import { exportJson } from './conversation-files.ts'
import { leave } from './leave.ts'

const themeLabel: Record<(typeof themes)[number], MessageKey> = { system: 'themeSystem', light: 'themeLight', dark: 'themeDark' }

/** The signed-in user, the balance, and the settings of this browser. */
export function AccountMenu(props: { page: PageContext }) {
  const { playground, view } = props.page
  const exportAll = async () => {
    const entries = await Promise.all(
      playground.library
        .list()
        .map(async (conversation) => ({ conversation, messages: await playground.library.messages(conversation.id) })),
    )
    downloadFile('parley-conversations.json', exportJson(entries), 'application/json')
  }
  const items = (): MenuEntry[] => [
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
    {
      kind: 'choice',
      label: t('keptWhere'),
      value: keepsOnServer(playground.user().id) ? 'server' : 'browser',
      options: [
        { value: 'browser', label: t('keptHere') },
        { value: 'server', label: t('keptThere') },
      ],
      onChange(value) {
        setKeepsOnServer(playground.user().id, value === 'server')
        // The store is opened with the page.
        location.reload()
      },
    },
    { kind: 'line' },
    { kind: 'item', icon: 'list', hint: '?', label: t('shortcuts'), onSelect: () => view.setDialog('shortcuts') },
    { kind: 'item', icon: 'download', label: t('exportAll'), onSelect: () => void exportAll() },
    { kind: 'item', icon: 'upload', label: t('import'), onSelect: () => view.setDialog('import') },
    { kind: 'item', icon: 'trash', bad: true, label: t('deleteAll'), onSelect: () => view.setDialog('delete-all') },
    { kind: 'line' },
    { kind: 'item', icon: 'out', label: t('signOut'), onSelect: () => void leave(props.page, false) },
    { kind: 'line' },
    { kind: 'item', icon: 'trash', bad: true, label: t('signOutForget'), onSelect: () => view.setDialog('forget') },
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
              {[...playground.user().name].slice(0, 2).join('').toUpperCase()}
            </span>
            <span class="min-w-0 flex-1">
              <span class="block truncate text-[13px]/[18px] font-medium">{revealHiddenCharacters(playground.user().name)}</span>
              <span class="tiny num block text-ink-3">{t('balance', { balance: formatMoney(playground.user().balance) })}</span>
            </span>
            <span class="hidden-text">{t('account')}</span>
            <Icon name="more" />
          </>
        }
        items={items}
      />
    </div>
  )
}
