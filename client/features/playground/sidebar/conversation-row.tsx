import { createSignal, onMount, Show } from 'solid-js'
import type { Conversation } from '#client/features/playground/conversation/conversation.ts'
import type { Snippet } from '#client/features/playground/conversation/snippet.ts'
import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { revealHiddenCharacters } from '#client/features/playground/text/reveal-hidden-characters.ts'
import { downloadFile } from '#client/ui/copy-and-save.ts'
import { Icon } from '#client/ui/icon.tsx'
import { Menu, type MenuEntry } from '#client/ui/menu.tsx'
import { showToast } from '#client/ui/toast.tsx'
import { exportJson, exportMarkdown } from './conversation-files.ts'

/** One conversation in the list: open, rename in place, pin, export, delete with undo. */
export function ConversationRow(props: {
  page: PageContext
  row: Conversation
  /** The search match in it. */
  snippet: Snippet | undefined
  current: boolean
  running: boolean
  onOpen(): void
}) {
  const { playground } = props.page
  const [renaming, setRenaming] = createSignal(false)
  const title = () => revealHiddenCharacters(props.row.title) || t('untitled')
  const remove = async () => {
    const wasOpen = props.current
    // At once, so that it does not move the focus from something pressed during the deletion.
    props.page.focusComposer()
    const restore = await playground.library.remove(props.row.id)
    if (wasOpen) playground.open(null)
    showToast(t('conversationDeleted', { title: title() }), {
      label: t('undo'),
      run: () => {
        restore()
        if (wasOpen) playground.open(props.row.id)
      },
    })
  }
  const entry = async () => ({ conversation: props.row, messages: await playground.library.messages(props.row.id) })
  const fileName = () => props.row.title.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60) || 'conversation'
  const save = async (form: 'json' | 'md') => {
    const one = await entry()
    if (form === 'json') downloadFile(`${fileName()}.json`, exportJson([one]), 'application/json')
    else downloadFile(`${fileName()}.md`, exportMarkdown(one), 'text/markdown')
  }
  const items = (): MenuEntry[] => [
    { kind: 'item', icon: 'edit', label: t('rename'), onSelect: () => setRenaming(true) },
    {
      kind: 'item',
      icon: 'pin',
      label: props.row.pinned ? t('unpin') : t('pin'),
      onSelect: () => playground.library.save({ ...props.row, pinned: !props.row.pinned }),
    },
    { kind: 'item', icon: 'external', label: t('share'), onSelect: () => props.page.view.openShareDialog(props.row.id) },
    { kind: 'item', icon: 'download', label: t('exportJson'), onSelect: () => void save('json') },
    { kind: 'item', icon: 'download', label: t('exportMarkdown'), onSelect: () => void save('md') },
    { kind: 'line' },
    { kind: 'item', icon: 'trash', bad: true, label: t('delete'), onSelect: () => void remove() },
  ]
  return (
    <div class="nav-row" data-current={props.current ? '' : undefined}>
      <Show
        when={renaming()}
        fallback={
          <a
            class="nav"
            href={`/c/${props.row.id}`}
            aria-current={props.current ? 'page' : undefined}
            onClick={(event) => {
              if (event.metaKey || event.ctrlKey || event.shiftKey) return
              event.preventDefault()
              props.onOpen()
            }}
          >
            <Show when={props.row.pinned}>
              <Icon name="pin" small />
            </Show>
            <span class="min-w-0">
              <span class="block truncate">{title()}</span>
              <Show when={props.snippet}>
                {(found) => (
                  <span class="hint block truncate">
                    {revealHiddenCharacters(found().before)}
                    <mark>{revealHiddenCharacters(found().match)}</mark>
                    {revealHiddenCharacters(found().after)}
                  </span>
                )}
              </Show>
            </span>
            <Show when={props.running}>
              <span class="dot ml-auto" />
            </Show>
          </a>
        }
      >
        <Rename
          title={props.row.title}
          onDone={(chosen) => {
            setRenaming(false)
            if (chosen !== undefined) playground.library.save({ ...props.row, title: chosen, named: true })
          }}
        />
      </Show>
      <Menu label={t('conversationMenu', { title: title() })} icon="more" small triggerClass="nav-more" items={items} />
    </div>
  )
}

function Rename(props: { title: string; onDone(title: string | undefined): void }) {
  let box: HTMLInputElement | undefined
  let done = false
  onMount(() => box?.select())
  const finish = (keep: boolean) => {
    if (done) return
    done = true
    const text = box?.value.trim() ?? ''
    props.onDone(keep && text !== '' ? text.slice(0, 200) : undefined)
  }
  return (
    <input
      ref={box}
      class="in my-0.5 h-[28px]! flex-1"
      aria-label={t('rename')}
      value={props.title}
      maxlength={200}
      onBlur={() => finish(true)}
      onKeyDown={(event) => {
        if (event.isComposing) return
        if (event.key === 'Enter') finish(true)
        if (event.key === 'Escape') finish(false)
      }}
    />
  )
}
