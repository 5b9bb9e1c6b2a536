/** Who is signed in, what is left, and the settings of this browser. */
import { signOut } from '#client/api/account.ts'
import { download } from '#client/ui/download.ts'
import { money } from '#client/ui/format.ts'
import { Icon } from '#client/ui/icon.tsx'
import { type Language, language, languages, speak } from '#client/ui/language.ts'
import { Menu, MenuChoice, MenuItem, MenuLine } from '#client/ui/menu.tsx'
import { setTheme, theme, themes } from '#client/ui/theme.ts'
import type { Bench } from '../bench.ts'
import { reveal } from '../markdown/escape.ts'
import { say, type Word } from '../words.ts'
import { exportJson } from './exchange.ts'

const themeWord: Record<(typeof themes)[number], Word> = { system: 'themeSystem', light: 'themeLight', dark: 'themeDark' }

export function AccountMenu(props: { bench: Bench; onSignedOut(): void }) {
  const { desk, view } = props.bench
  const leave = async (forget: boolean) => {
    for (const id of desk.replies.ids()) desk.replies.stop(id)
    if (forget) await desk.library.removeAll()
    await signOut().catch(() => undefined)
    desk.library.close()
    props.onSignedOut()
  }
  const exportAll = async () => {
    const entries = await Promise.all(
      desk.library.list().map(async (conversation) => ({ conversation, messages: await desk.library.messages(conversation.id) })),
    )
    download('parley-conversations.json', exportJson(entries), 'application/json')
  }
  return (
    <div class="flex-none border-t border-line p-2">
      <Menu
        label={say('accountOf', { name: desk.user().name })}
        placement="top-start"
        triggerClass="account"
        trigger={
          <>
            <span class="avatar" aria-hidden="true">
              {[...desk.user().name].slice(0, 2).join('').toUpperCase()}
            </span>
            <span class="min-w-0 flex-1">
              <span class="block truncate text-[13px]/[18px] font-medium">{reveal(desk.user().name)}</span>
              <span class="tiny num block text-ink-3">{say('balance', { balance: money(desk.user().balance) })}</span>
            </span>
            <Icon name="more" />
          </>
        }
      >
        <MenuChoice
          label={say('theme')}
          value={theme()}
          options={themes.map((value) => ({ value, label: say(themeWord[value]) }))}
          onChange={setTheme}
        />
        <MenuLine />
        <MenuChoice
          label={say('language')}
          value={language()}
          options={Object.entries(languages).map(([value, label]) => ({ value: value as Language, label }))}
          onChange={(chosen) => void speak(chosen)}
        />
        <MenuLine />
        <MenuItem icon="list" hint="?" onSelect={() => view.setDialog('shortcuts')}>
          {say('shortcuts')}
        </MenuItem>
        <MenuItem icon="download" onSelect={() => void exportAll()}>
          {say('exportAll')}
        </MenuItem>
        <MenuItem icon="upload" onSelect={() => view.setDialog('import')}>
          {say('import')}
        </MenuItem>
        <MenuItem icon="trash" bad onSelect={() => view.setDialog('delete-all')}>
          {say('deleteAll')}
        </MenuItem>
        <MenuLine />
        <MenuItem onSelect={() => void leave(false)}>{say('signOut')}</MenuItem>
        <MenuItem onSelect={() => void leave(true)}>{say('signOutForget')}</MenuItem>
      </Menu>
    </div>
  )
}
