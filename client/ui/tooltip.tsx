/**
 * Tooltips: after 400 ms under the pointer, at once on keyboard focus, gone on Escape. One bubble serves the whole page, so
 * that a thousand icon buttons cost no more than one.
 */
import { createSignal, type JSX, onCleanup, Show } from 'solid-js'
import { Portal } from 'solid-js/web'

interface Shown {
  label: string
  x: number
  y: number
  above: boolean
}

const [shown, setShown] = createSignal<Shown | null>(null)
let waiting: ReturnType<typeof setTimeout> | undefined
/** The control whose bubble is shown or about to be shown. */
let owner: object | undefined

function show(of: object, anchor: Element, label: string, delay: number): void {
  clearTimeout(waiting)
  owner = of
  waiting = setTimeout(() => {
    // A bubble would be in the way of the control's own open menu.
    if (!anchor.isConnected || anchor.getAttribute('aria-expanded') === 'true') return
    const box = anchor.getBoundingClientRect()
    const above = box.bottom > innerHeight - 60
    setShown({
      label,
      x: Math.min(Math.max(box.left + box.width / 2, 60), innerWidth - 60),
      y: above ? box.top - 6 : box.bottom + 6,
      above,
    })
  }, delay)
}

/** Only the owner hides the bubble: the control being left may be another one, removed or moved from under a resting pointer. */
function hide(of: object): void {
  if (owner !== of) return
  clearTimeout(waiting)
  setShown(null)
}

/** Adds a tooltip to one control. `label` is also the control's accessible name, so the bubble is hidden from screen readers. */
export function Tooltip(props: { label: string; children: JSX.Element }) {
  let anchor: HTMLSpanElement | undefined
  const self = {}
  const leave = () => hide(self)
  onCleanup(leave)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only watches the control inside it
    <span
      ref={anchor}
      class="contents"
      onPointerEnter={(event) =>
        event.pointerType === 'mouse' && show(self, anchor?.firstElementChild ?? event.currentTarget, props.label, 400)
      }
      onPointerLeave={leave}
      onPointerDown={leave}
      // Focus events in the control's own open menu arrive here too.
      onFocusIn={(event) =>
        anchor?.contains(event.target) && event.target.matches(':focus-visible') && show(self, event.target, props.label, 0)
      }
      onFocusOut={leave}
      onKeyDown={(event) => event.key === 'Escape' && leave()}
    >
      {props.children}
    </span>
  )
}

/** The bubble. Mounted once, by the application. */
export function TooltipLayer() {
  return (
    <Show when={shown()}>
      {(tip) => (
        <Portal>
          <div
            class="tip pointer-events-none fixed"
            aria-hidden="true"
            style={{
              left: `${tip().x}px`,
              top: `${tip().y}px`,
              translate: tip().above ? '-50% -100%' : '-50% 0',
            }}
          >
            {tip().label}
          </div>
        </Portal>
      )}
    </Show>
  )
}
