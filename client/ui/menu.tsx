/**
 * A menu under a button. Only the button is rendered at first; the menu is loaded when it is used for the first time, so that
 * a page with hundreds of menus stays cheap.
 */
import { createSignal, type JSX, Show, Suspense } from 'solid-js'
import { later } from './later.ts'
import { type MenuProps, triggerClass, triggerContent } from './menu-trigger.tsx'
import { Tooltip } from './tooltip.tsx'

export type { MenuEntry } from './menu-trigger.tsx'

const OpenMenu = later(async () => (await import('./open-menu.tsx')).OpenMenu)

/** A button with a menu of `items`, which are read each time the menu opens. */
export function Menu(props: MenuProps) {
  const [used, setUsed] = createSignal(false)
  const plain = () => (
    <button
      type="button"
      class={triggerClass(props)}
      aria-label={props.ownName ? undefined : props.label}
      aria-haspopup="menu"
      aria-expanded="false"
      onClick={() => setUsed(true)}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
        event.preventDefault()
        setUsed(true)
      }}
    >
      {triggerContent(props)}
    </button>
  )
  return (
    <TooltipWhenIcon {...props}>
      <Show when={used()} fallback={plain()}>
        <Suspense fallback={plain()}>
          <OpenMenu {...props} />
        </Suspense>
      </Show>
    </TooltipWhenIcon>
  )
}

function TooltipWhenIcon(props: MenuProps & { children: JSX.Element }) {
  return (
    <Show when={props.icon} fallback={props.children}>
      <Tooltip label={props.label}>{props.children}</Tooltip>
    </Show>
  )
}
