/**
 * Search, file, photo, screenshot, camera: part of the product's picture and without any function here. They are real
 * buttons that can be found and read by everyone, say why they are off, and have nothing behind them. The bar has one tab
 * stop; arrows move inside it. There is no click handler, no file input and no capture anywhere in this client.
 */
import { createSignal, For } from 'solid-js'
import { type MessageKey, t } from '#client/features/playground/messages/messages.ts'
import { Icon, type IconName } from '#client/ui/icon.tsx'
import { Tooltip } from '#client/ui/tooltip.tsx'

const controls: readonly { icon: IconName; word: MessageKey }[] = [
  { icon: 'search', word: 'inertSearch' },
  { icon: 'file', word: 'inertFile' },
  { icon: 'photo', word: 'inertPhoto' },
  { icon: 'shot', word: 'inertShot' },
  { icon: 'camera', word: 'inertCamera' },
]

export function InertControls() {
  const [stop, setStop] = createSignal(0)
  let bar: HTMLDivElement | undefined
  const walk = (event: KeyboardEvent) => {
    const last = controls.length - 1
    const to = { ArrowRight: Math.min(stop() + 1, last), ArrowLeft: Math.max(stop() - 1, 0), Home: 0, End: last }[event.key]
    if (to === undefined) return
    event.preventDefault()
    setStop(to)
    bar?.querySelectorAll('button')[to]?.focus()
  }
  return (
    <>
      <div ref={bar} class="inert" role="toolbar" aria-label={t('inertBar')} onKeyDown={walk}>
        <For each={controls}>
          {(control, index) => (
            <Tooltip label={t('inertTip', { name: t(control.word) })}>
              <button
                type="button"
                aria-disabled="true"
                aria-describedby="na-note"
                aria-label={t(control.word)}
                tabindex={index() === stop() ? 0 : -1}
              >
                <Icon name={control.icon} />
              </button>
            </Tooltip>
          )}
        </For>
      </div>
      <span class="hidden-text" id="na-note">
        {t('notAvailable')}
      </span>
    </>
  )
}
