import { For } from 'solid-js'
import { t } from '#client/features/playground/messages/messages.ts'
import type { ViewState } from '#client/features/playground/state/view-state.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import { Switch } from '#client/ui/switch.tsx'
import { shortcuts } from './shortcuts.ts'

const isApple = /mac|iphone|ipad/i.test(navigator.userAgent)

/** All shortcuts, and the preferences about keys and announcements. */
export function ShortcutsDialog(props: { view: ViewState; onClose(): void }) {
  const { view } = props
  return (
    <Dialog title={t('shortcuts')} onClose={props.onClose}>
      <dl class="grid grid-cols-[1fr_auto] gap-x-4 gap-y-2 text-[13px]/[20px]">
        <For each={shortcuts}>
          {(one) => (
            <>
              <dt>{t(one.label)}</dt>
              <dd class="flex gap-1">
                <For each={one.keys}>{(key) => <kbd>{key === 'Mod' ? (isApple ? '⌘' : 'Ctrl') : key}</kbd>}</For>
              </dd>
            </>
          )}
        </For>
      </dl>
      <div class="mt-4 border-t border-line pt-2">
        <div class="kv">
          <span>{t('enterSends')}</span>
          <Switch label={t('enterSends')} on={view.enterSends()} onChange={view.setEnterSends} />
        </div>
        <div class="kv">
          <span>{t('letterKeys')}</span>
          <Switch label={t('letterKeys')} on={view.letterKeys()} onChange={view.setLetterKeys} />
        </div>
        <div class="kv">
          <span>{t('announceReplies')}</span>
          <Switch
            label={t('announceReplies')}
            on={view.replyAnnouncements() === 'end'}
            onChange={(on) => view.setReplyAnnouncements(on ? 'end' : 'nothing')}
          />
        </div>
      </div>
    </Dialog>
  )
}
