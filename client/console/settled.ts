import { type Accessor, createEffect, createSignal, on, onCleanup } from 'solid-js'

/** The value, debounced by `ms` milliseconds. */
export function createSettled<Value>(value: Accessor<Value>, ms: number): Accessor<Value> {
  const [settled, setSettled] = createSignal(value())
  let pause: ReturnType<typeof setTimeout> | undefined
  createEffect(
    on(
      value,
      (next) => {
        clearTimeout(pause)
        pause = setTimeout(() => setSettled(() => next), ms)
      },
      { defer: true },
    ),
  )
  onCleanup(() => clearTimeout(pause))
  return settled
}
