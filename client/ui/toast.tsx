/** Short confirmations with an optional way back. Five seconds, ten with a way back; waits under pointer and focus. Never for errors. */
import { createSignal, For, Show } from 'solid-js'
import { announce } from './announcer.tsx'

interface Toast {
  id: number
  text: string
  action?: { label: string; run(): void } | undefined
}

const [toasts, setToasts] = createSignal<Toast[]>([])
let last = 0

export function showToast(text: string, action?: { label: string; run(): void }): void {
  const id = ++last
  setToasts((before) => [...before.slice(-2), { id, text, action }])
  announce(text)
  scheduleEnd(id, action ? 10_000 : 5_000)
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

/** Mounted once, at the roof. */
export function ToastList() {
  return (
    <div class="toasts">
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
    </div>
  )
}
