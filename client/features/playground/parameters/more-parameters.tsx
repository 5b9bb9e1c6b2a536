import { createSignal, For, Show } from 'solid-js'
import { type Effort, efforts, type Settings } from '#client/features/playground/conversation/settings.ts'
import { type MessageKey, t } from '#client/features/playground/messages/messages.ts'
import { Button, IconButton } from '#client/ui/button.tsx'
import { Icon } from '#client/ui/icon.tsx'
import { Menu } from '#client/ui/menu.tsx'
import { Switch } from '#client/ui/switch.tsx'

const effortLabel: Record<Effort | 'none', MessageKey> = {
  none: 'notSent',
  minimal: 'effortMinimal',
  low: 'effortLow',
  medium: 'effortMedium',
  high: 'effortHigh',
}

/** The parameters without a slider: streaming, reasoning effort, seed and stop sequences. */
export function MoreParameters(props: { settings: Settings; onChange(patch: Partial<Settings>): void }) {
  const effort = () => props.settings.effort ?? 'none'
  return (
    <section class="sec">
      <h3>{t('more')}</h3>
      <div class="kv">
        <span>{t('streamReply')}</span>
        <Switch label={t('streamReply')} on={props.settings.stream} onChange={(stream) => props.onChange({ stream })} />
      </div>
      <div class="kv">
        <span>{t('effort')}</span>
        <Menu
          label={t('effortIs', { effort: t(effortLabel[effort()]) })}
          triggerClass="sel -mr-2"
          trigger={
            <>
              <b classList={{ 'font-normal! text-ink-3!': effort() === 'none' }}>{t(effortLabel[effort()])}</b>
              <Icon name="down" small />
            </>
          }
          items={() => [
            {
              kind: 'choice',
              label: t('effort'),
              value: effort(),
              options: (['none', ...efforts] as const).map((value) => ({ value, label: t(effortLabel[value]) })),
              onChange: (value) => props.onChange({ effort: efforts.find((one) => one === value) ?? null }),
            },
          ]}
        />
      </div>
      <label class="kv">
        <span>{t('seed')}</span>
        <input
          class="in num w-[108px]! text-right"
          inputmode="numeric"
          autocomplete="off"
          placeholder={t('notSent')}
          value={props.settings.seed ?? ''}
          onChange={(event) => {
            const text = event.currentTarget.value.trim()
            const seed = /^-?\d{1,15}$/.test(text) ? Number(text) : null
            event.currentTarget.value = seed === null ? '' : String(seed)
            props.onChange({ seed })
          }}
        />
      </label>
      <StopSequences stop={props.settings.stop} onChange={(stop) => props.onChange({ stop })} />
    </section>
  )
}

const maxStops = 4

function StopSequences(props: { stop: string[]; onChange(stop: string[]): void }) {
  const [text, setText] = createSignal('')
  const add = () => {
    if (text() === '' || props.stop.length >= maxStops) return
    props.onChange([...new Set([...props.stop, text()])])
    setText('')
  }
  return (
    <div class="py-1.5 text-[13px]">
      <span>{t('stopSequences')}</span>
      <div class="mt-1.5 flex flex-wrap gap-1.5">
        <For each={props.stop}>
          {(one) => (
            <span class="bdg h-7! pr-0! font-mono">
              {JSON.stringify(one).slice(1, -1)}
              <IconButton
                name="x"
                small
                label={t('removeStop', { text: one })}
                onClick={() => props.onChange(props.stop.filter((other) => other !== one))}
              />
            </span>
          )}
        </For>
      </div>
      <Show when={props.stop.length < maxStops} fallback={<p class="hint mt-1">{t('stopLimit', { count: maxStops })}</p>}>
        <form
          class="mt-1.5 flex gap-2"
          onSubmit={(event) => {
            event.preventDefault()
            add()
          }}
        >
          <input
            class="in quiet font-mono"
            aria-label={t('stopSequences')}
            placeholder={t('notSent')}
            value={text()}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit">{t('add')}</Button>
        </form>
      </Show>
    </div>
  )
}
