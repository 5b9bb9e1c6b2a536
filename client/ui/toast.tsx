/**
 * Short confirmations with an optional action. Shown for five seconds, ten with an action; pointer and focus hold them. Never
 * used for errors.
 */
import { createSignal, For, Show } from 'solid-js'
import { announce } from './announcer.tsx'
import { createTranslator } from './language.ts'

const t = createTranslator({ notices: 'Notices' }, async () => ({ zh: { notices: '通知' } }))

interface Toast {
  id: number
  text: string
  action?: { label: string; run(): void } | undefined
}

const [toasts, setToasts] = createSignal<Toast[]>([])
let last = 0

/** Shows and announces `text`, with an optional action such as Undo. */
export function showToast(text: string, action?: { label: string; run(): void }): void {
  const id = ++last
  makeRoom()
  setToasts((before) => [...before.slice(-2), { id, text, action }])
  announce(text)
  scheduleEnd(id, action ? 10_000 : 5_000)
}

/** Toasts are placed above elements marked `data-toasts-above`: an input box at the bottom that may be in use. */
function makeRoom(): void {
  const below = document.querySelector('[data-toasts-above]')?.getBoundingClientRect()
  const bottom = below === undefined ? 0 : Math.max(0, innerHeight - below.top + 8)
  document.documentElement.style.setProperty('--toasts-bottom', `${bottom}px`)
}

const timers = new Map<number, ReturnType<typeof setTimeout>>()

function scheduleEnd(id: number, ms: number): void {
  clearTimeout(timers.get(id))
  timers.set(
    id,
    setTimeout(() => drop(id), ms),
  )
}

function drop(id: number): void {
  clearTimeout(timers.get(id))
  timers.delete(id)
  setToasts((before) => before.filter((one) => one.id !== id))
}

/** Moves the focus after an action, unless the action moved it: to the message box, or the page. */
function goOn(): void {
  if (document.activeElement !== document.body) return
  document.getElementById('content')?.focus({ preventScroll: true })
}

/** The toasts on the page. Mounted once, by the application. */
export function ToastList() {
  return (
    <section class="toasts" aria-label={t('notices')} hidden={toasts().length === 0}>
      <For each={toasts()}>
        {(one) => {
          const wait = () => clearTimeout(timers.get(one.id))
          const go = () => scheduleEnd(one.id, 3_000)
          return (
            <div class="toast" onPointerEnter={wait} onPointerLeave={go} onFocusIn={wait} onFocusOut={go}>
              {one.text}
              <Show when={one.action}>
                {(action) => (
                  <button
                    type="button"
                    onClick={() => {
                      drop(one.id)
                      action().run()
                      requestAnimationFrame(goOn)
                    }}
                  >
                    {action().label}
                  </button>
                )}
              </Show>
            </div>
          )
        }}
      </For>
    </section>
  )
}
