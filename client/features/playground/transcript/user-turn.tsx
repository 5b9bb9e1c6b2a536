import { createSignal, createUniqueId, onMount, Show } from 'solid-js'
import type { ToolResult, UserMessage } from '#client/features/playground/conversation/conversation.ts'
import { isSendKey } from '#client/features/playground/keyboard/send-key.ts'
import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { copyWithNotice } from '#client/features/playground/text/copy-with-notice.ts'
import { SpeakerMark } from '#client/ui/brand.tsx'
import { Button, IconButton } from '#client/ui/button.tsx'
import { formatDateTime, formatTime } from '#client/ui/format.ts'
import { deleteWithUndo } from './delete-with-undo.ts'
import { VersionSwitcher } from './version-switcher.tsx'

/** A user message with its own editor. Editing adds a branch and keeps the old one. */
export function UserTurn(props: { page: PageContext; message: UserMessage | ToolResult }) {
  const id = createUniqueId()
  const { page } = props
  const isTool = () => props.message.role === 'tool'
  const editing = () => page.editedMessage() === props.message.id
  return (
    <article class="turn" aria-labelledby={id} data-message={props.message.id}>
      <SpeakerMark side="left" />
      <div class="min-w-0">
        <div class="who">
          <SpeakerMark side="left" />
          <h2 id={id} class="text-[13px] font-semibold tracking-normal">
            {isTool() ? t('toolAnswer') : t('you')}
          </h2>
          <time class="tiny text-ink-3" title={formatDateTime(props.message.at)}>
            {formatTime(props.message.at)}
          </time>
          <span class="acts">
            <VersionSwitcher page={page} message={props.message} />
            <IconButton name="copy" small label={t('copyMessage')} onClick={() => void copyWithNotice(props.message.text)} />
            <Show when={!isTool()}>
              <IconButton name="edit" small label={t('editMessage')} onClick={() => page.setEditedMessage(props.message.id)} />
            </Show>
            <IconButton
              name="trash"
              small
              label={t('deleteMessage')}
              onClick={(event) => deleteWithUndo(page, props.message.id, event.currentTarget)}
            />
          </span>
        </div>
        <Show when={props.message.role === 'user' && props.message.begins}>
          <p class="hint mb-1">
            {t('beginsHere')}{' '}
            <button type="button" class="text-accent hover:underline" onClick={() => page.actions.sendAll(props.message.id)}>
              {t('sendAll')}
            </button>
          </p>
        </Show>
        <Show when={editing()} fallback={<div class="said">{props.message.text}</div>}>
          <Editor
            text={props.message.text}
            enterSends={page.view.enterSends()}
            onCancel={() => {
              page.setEditedMessage(null)
              page.focusComposer()
            }}
            onSend={(text) => {
              page.setEditedMessage(null)
              page.actions.edit(props.message.id, text)
              page.focusComposer()
            }}
          />
        </Show>
        <Show when={page.playground.leftOut().has(props.message.id)}>
          <p class="hint mt-1">{t('leftOut')}</p>
        </Show>
      </div>
    </article>
  )
}

function Editor(props: { text: string; enterSends: boolean; onSend(text: string): void; onCancel(): void }) {
  const [text, setText] = createSignal(props.text)
  let box: HTMLTextAreaElement | undefined
  onMount(() => {
    box?.focus()
    box?.setSelectionRange(props.text.length, props.text.length)
  })
  const send = () => text().trim() !== '' && props.onSend(text())
  return (
    <form
      class="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        ref={box}
        class="in field-sizing-content max-h-[40dvh] text-[15px]! leading-6!"
        aria-label={t('editMessage')}
        value={text()}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing || event.keyCode === 229) return
          if (event.key === 'Escape') {
            event.preventDefault()
            props.onCancel()
          } else if (event.key === 'Enter' && isSendKey(event, props.enterSends)) {
            event.preventDefault()
            send()
          }
        }}
      />
      <div class="flex items-center gap-2">
        <span class="hint flex-1">{t('editKeeps')}</span>
        <Button onClick={() => props.onCancel()}>{t('cancel')}</Button>
        <Button type="submit" look="primary">
          {t('send')}
        </Button>
      </div>
    </form>
  )
}
