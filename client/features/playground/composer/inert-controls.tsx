import { createSignal, For } from 'solid-js'
import { type MessageKey, t } from '#client/features/playground/messages/messages.ts'
import { Icon, type IconName } from '#client/ui/icon.tsx'
import { Tooltip } from '#client/ui/tooltip.tsx'

const controls: readonly { icon: IconName; label: MessageKey }[] = [
  { icon: 'search', label: 'inertSearch' },
  { icon: 'file', label: 'inertFile' },
  { icon: 'photo', label: 'inertPhoto' },
  { icon: 'shot', label: 'inertShot' },
  { icon: 'camera', label: 'inertCamera' },
]

/**
 * Search, file, photo, screenshot and camera: visible, and without any function here. They are real buttons, so that everyone
 * can find them and read why they are off. The bar is one tab stop; arrow keys move inside. There is no click handler, file
 * input or capture anywhere in this client.
 */
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
            <Tooltip label={t('inertTip', { name: t(control.label) })}>
              <button
                type="button"
                aria-disabled="true"
                aria-describedby="na-note"
                aria-label={t(control.label)}
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
