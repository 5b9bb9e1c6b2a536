import { createSignal, createUniqueId, Show } from 'solid-js'
import type { Reply } from '#client/features/playground/conversation/conversation.ts'
import { t } from '#client/features/playground/messages/messages.ts'
import { IconButton } from '#client/ui/button.tsx'
import { Icon } from '#client/ui/icon.tsx'
import { thoughtTime } from './thought-time.ts'

/** The model's reasoning: collapsed at first, live while it streams, never sent back. */
export function Reasoning(props: { reply: Reply; running: boolean; onCopy(text: string): void }) {
  const id = createUniqueId()
  const [open, setOpen] = createSignal(false)
  const thinking = () => props.running && props.reply.text === '' && props.reply.calls.length === 0
  const seconds = () => Math.max(1, Math.round((props.reply.reasoningMs ?? 0) / 1000))
  const told = () => {
    const [key, count] = thoughtTime(props.reply)
    return t(key, { count })
  }
  return (
    <Show when={props.reply.reasoning !== ''}>
      <div class="think">
        <button type="button" aria-expanded={open()} aria-controls={id} onClick={() => setOpen(!open())}>
          <Icon name={open() ? 'down' : 'right'} small />
          {thinking() ? t('thinking', { count: seconds() }) : told()}
        </button>
        <Show when={open() && !thinking()}>
          <IconButton name="copy" small label={t('copyReasoning')} onClick={() => props.onCopy(props.reply.reasoning)} />
        </Show>
        <div id={id} hidden={!open()}>
          <Show when={open()}>
            {/* biome-ignore lint/a11y/useSemanticElements: a named region that scrolls, reachable by keyboard */}
            <div class="thoughts" tabindex="0" role="region" aria-label={t('reasoning')}>
              {props.reply.reasoning}
            </div>
          </Show>
        </div>
      </div>
    </Show>
  )
}
