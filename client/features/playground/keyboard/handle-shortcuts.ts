import { onCleanup } from 'solid-js'
import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { copyWithNotice } from '#client/features/playground/text/copy-with-notice.ts'
import { announce } from '#client/ui/announcer.tsx'
import { type Command, commandOf } from './shortcuts.ts'

const regions = ['.side', '.talk', '.comp textarea', '.panel']

/** Handles the shortcuts as long as the owner lives, and keeps dropped files from replacing the page. */
export function handleShortcuts(page: PageContext): void {
  const { playground, view } = page
  const commands: Record<Command, () => boolean> = {
    newChat() {
      playground.open(null)
      page.focusComposer()
      return true
    },
    focusInput() {
      page.focusComposer()
      return true
    },
    stop() {
      const running = playground.running()
      if (running) playground.replies.stop(running.id)
      return running !== undefined
    },
    search() {
      if (seen('[data-search-conversations]').length === 0) view.setListOpen(true)
      setTimeout(() => seen('[data-search-conversations]')[0]?.focus())
      return true
    },
    parameters() {
      view.togglePanel('parameters')
      return true
    },
    inspector() {
      view.togglePanel('inspector')
      return true
    },
    copyLast() {
      const last = playground.path().findLast((message) => message.role === 'assistant')
      if (last) void copyWithNotice(last.text)
      return last !== undefined
    },
    shortcuts() {
      view.setDialog('shortcuts')
      return true
    },
    regions: nextRegion,
  }
  const press = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || document.querySelector('[role=dialog]:not([data-closed])')) return
    const target = event.target
    const inField = target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
    const command = commandOf(event, inField, view.letterKeys())
    if (command && commands[command]()) event.preventDefault()
  }
  const refuse = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'none'
    if (event.type === 'drop') announce(t('notAvailable'))
  }
  addEventListener('keydown', press)
  addEventListener('dragover', refuse)
  addEventListener('drop', refuse)
  onCleanup(() => {
    removeEventListener('keydown', press)
    removeEventListener('dragover', refuse)
    removeEventListener('drop', refuse)
  })
}

/** The visible elements that match. */
const seen = (selector: string): HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>(selector)].filter((one) => one.checkVisibility())

/** Moves the focus to the next part of the screen: list, conversation, composer, panel. */
function nextRegion(): boolean {
  const there = regions.flatMap(seen)
  const at = there.findIndex((region) => region.contains(document.activeElement))
  const next = there[(at + 1) % there.length]
  const focusable = next?.matches('textarea, [tabindex]')
    ? next
    : next?.querySelector<HTMLElement>('a[href], button, input, textarea, [tabindex="0"]')
  focusable?.focus()
  return focusable !== undefined && focusable !== null
}
