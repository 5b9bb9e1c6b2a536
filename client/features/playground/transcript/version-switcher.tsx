import { createMemo, Show } from 'solid-js'
import type { Message } from '#client/features/playground/conversation/conversation.ts'
import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { IconButton } from '#client/ui/button.tsx'

/** ‹ 2 / 3 ›: the versions of a message, when there are several. */
export function VersionSwitcher(props: { page: PageContext; message: Message }) {
  const siblings = createMemo(() => {
    // A new version changes the path, so reading it tracks the siblings.
    props.page.playground.path()
    return props.page.playground.library.thread(props.message.conversation).thread.siblings(props.message.id)
  })
  const at = () => siblings().findIndex((one) => one.id === props.message.id)
  const go = (step: number) => {
    const other = siblings()[at() + step]
    if (other) props.page.actions.openBranch(other.id)
  }
  return (
    <Show when={siblings().length > 1}>
      <span class="ver">
        <IconButton name="left" small label={t('versionBefore')} aria-disabled={at() === 0 ? 'true' : undefined} onClick={() => go(-1)} />
        <span aria-hidden="true">
          {at() + 1} / {siblings().length}
        </span>
        <span class="hidden-text">{t('versionOf', { at: at() + 1, count: siblings().length })}</span>
        <IconButton
          name="right"
          small
          label={t('versionAfter')}
          aria-disabled={at() === siblings().length - 1 ? 'true' : undefined}
          onClick={() => go(1)}
        />
      </span>
    </Show>
  )
}
