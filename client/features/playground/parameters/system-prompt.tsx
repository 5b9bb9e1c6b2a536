import { createSignal, Show } from 'solid-js'
import { t } from '#client/features/playground/messages/messages.ts'
import { Button } from '#client/ui/button.tsx'

/** The system prompt of the conversation, sent first when it is not empty. */
export function SystemPrompt(props: { value: string; onChange(value: string): void; onTemplates(): void }) {
  const [open, setOpen] = createSignal(false)
  let box: HTMLTextAreaElement | undefined
  return (
    <section class="sec">
      <div class="mb-1.5 flex items-center gap-2">
        <h3 class="flex-1 text-[13px]/[20px]">{t('systemPrompt')}</h3>
        <Button look="ghost" size="sm" class="-mr-2.5" onClick={() => props.onTemplates()}>
          {t('templates')}
        </Button>
      </div>
      <Show
        when={open() || props.value !== ''}
        fallback={
          <button
            type="button"
            class="said w-full text-[13px]! text-ink-3"
            onClick={() => {
              setOpen(true)
              box?.focus()
            }}
          >
            {t('addSystem')}
          </button>
        }
      >
        <textarea
          ref={box}
          class="in field-sizing-content max-h-[240px] min-h-[62px]"
          aria-label={t('systemPrompt')}
          placeholder={t('systemHint')}
          value={props.value}
          onChange={(event) => props.onChange(event.currentTarget.value)}
          onBlur={() => setOpen(false)}
        />
      </Show>
    </section>
  )
}
